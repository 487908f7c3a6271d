/* SPDX-License-Identifier: MIT */
/* spawn.c - posix_spawn*: start the staged program under its original name */
#include <linux/fcntl.h>

#include "client/preload/path_query.h"
#include "client/preload/next.h"
#include "client/preload/exec_plan.h"
#include "client/preload/readable.h"
#include "image/bytes.h"
#include "node/syscall.h"

extern char **environ __attribute__((weak));

typedef int (*spawn_fn)(int *, const char *, const void *, const void *, char *const[],
                        char *const[]);

/* posix_spawn of the staged program, or of the original if it is not staged. */
static int path_spawn(spawn_fn next, int *pid, const char *path, const void *actions,
                      const void *attributes, char *const argv[], char *const env[])
{
    struct lc_exec_plan plan;

    /* File actions may change the directory before a relative path is looked up. A missing path is
     * left to the C library, which has the right error. */
    if ((actions && path && lc_is_text(path) && path[0] != '/') ||
        lc_exec_plan_make(&plan, path, argv, env))
        lc_exec_plan_make_environment(&plan, path, env);
    lc_exec_plan_write(&plan, LC_EXEC_PLAN_SPACE(&plan));
    int result = plan.is_staged ? next(pid, plan.file, actions, attributes, plan.argv, plan.env)
                                : next(pid, path, actions, attributes, argv, plan.env);
    lc_exec_plan_end(&plan);
    return result;
}

EXPORT(int, posix_spawn, int *pid, const char *path, const void *actions, const void *attributes,
       char *const argv[], char *const env[])
{
    spawn_fn next =
        NEXT(int, posix_spawn,
             (int *, const char *, const void *, const void *, char *const[], char *const[]));

    return path_spawn(next, pid, path, actions, attributes, argv, env);
}

/* Is there a program at this path? Answered by the image, else by the file system. */
static bool path_is_program(const char *path)
{
    struct lc_query query;

    lc_query_begin(&query, AT_FDCWD, path, 0);
    bool answer = query.verdict == LC_KNOWN
                      ? query.what->kind == LC_KIND_FILE && (query.inode->mode & 0111)
                      : query.verdict == LC_PASS && lc_sys_access(path, 1 /* X_OK */) == 0;
    lc_query_end(&query);
    return answer;
}

/* Search PATH as the C library's posix_spawnp does. */
static int name_spawn(spawn_fn next, int *pid, const char *name, const void *actions,
                      const void *attributes, char *const argv[], char *const env[])
{
    struct lc_exec_plan plan;

    lc_exec_plan_make_environment(&plan, name, env);
    lc_exec_plan_write(&plan, LC_EXEC_PLAN_SPACE(&plan));
    int result = next(pid, name, actions, attributes, argv, plan.env);
    lc_exec_plan_end(&plan);
    return result;
}

EXPORT(int, posix_spawnp, int *pid, const char *name, const void *actions, const void *attributes,
       char *const argv[], char *const env[])
{
    spawn_fn next =
        NEXT(int, posix_spawnp,
             (int *, const char *, const void *, const void *, char *const[], char *const[]));
    const char *dir = lc_variable(environ, "PATH=");

    if (!lc_client_last_node() || !lc_is_text(name)) /* without a node nothing is changed */
        return next(pid, name, actions, attributes, argv, env);
    for (const char *p = name; *p; p++)
        if (*p == '/')
            return path_spawn(next, pid, name, actions, attributes, argv, env);
    size_t size = (dir ? lc_bytes_length(dir) : 0) + lc_bytes_length(name) + 2;
    size = size < LC_PATH_MAX ? size : LC_PATH_MAX;
    char *candidate = __builtin_alloca(size); /* as the C library does */
    while (lc_client_node() && dir) {
        size_t n = 0;
        while (dir[n] && dir[n] != ':')
            n++;
        if (n > 0 && dir[0] == '/' && lc_bytes_join(candidate, size, dir, n, name) &&
            path_is_program(candidate))
            return path_spawn(next, pid, candidate, actions, attributes, argv, env);
        if (n == 0 || dir[0] != '/' || !dir[n])
            break; /* an empty element (the working directory) or the end: the C library's to do */
        dir += n + 1;
    }
    return name_spawn(next, pid, name, actions, attributes, argv, env);
}

/* The child will open this file, perhaps for writing. */
EXPORT(int, posix_spawn_file_actions_addopen, void *actions, int fd, const char *path, int flags,
       unsigned mode)
{
    if ((flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)))
        lc_invalidate_before(AT_FDCWD, path, LC_CHANGE_CONTENT);
    return NEXT(int, posix_spawn_file_actions_addopen,
                (void *, int, const char *, int, unsigned))(actions, fd, path, flags, mode);
}
