/* SPDX-License-Identifier: MIT */
/* spawn.c - posix_spawn*: start the staged program under its original name */
#include <linux/fcntl.h>

#include "client/free/sys.h"
#include "client/preload/ask.h"
#include "client/preload/next.h"
#include "client/preload/plan.h"
#include "image/bytes.h"

extern char **environ __attribute__((weak));

typedef int (*spawn_fn)(int *, const char *, const void *, const void *, char *const[],
                        char *const[]);

/* posix_spawn of the staged program, or of the path as it is. */
static int spawn(spawn_fn next, int *pid, const char *path, const void *actions,
                 const void *attributes, char *const argv[], char *const env[])
{
    struct lc_plan plan;
    size_t n = lc_count_arguments(argv);

    /* File actions may change the directory before a relative path is looked up. */
    if ((actions && path && path[0] != '/') || lc_plan_make(&plan, path, env))
        return next(pid, path, actions, attributes, argv, env);
    if (!plan.is_staged || n >= LC_MOST_ARGUMENTS)
        return next(pid, path, actions, attributes, argv, plan.env);
    if (!plan.is_script)
        return next(pid, plan.file, actions, attributes, argv, plan.env);
    char **list = __builtin_alloca((n + 4) * sizeof(*list));
    lc_plan_arguments(&plan, path, argv, list);
    return next(pid, plan.file, actions, attributes, list, plan.env);
}

EXPORT(int, posix_spawn, int *pid, const char *path, const void *actions, const void *attributes,
       char *const argv[], char *const env[])
{
    spawn_fn next =
        NEXT(int, posix_spawn,
             (int *, const char *, const void *, const void *, char *const[], char *const[]));

    return spawn(next, pid, path, actions, attributes, argv, env);
}

/* Is there such a program here? From the image, else from the file system. */
static bool is_program(const char *path)
{
    struct lc_ask ask;

    lc_ask_begin(&ask, AT_FDCWD, path, 0);
    bool answer = ask.verdict == LC_KNOWN
                      ? ask.what->kind == LC_KIND_FILE && (ask.inode->mode & 0111)
                      : ask.verdict == LC_PASS && lc_sys_access(path, 1 /* X_OK */) == 0;
    lc_ask_end(&ask);
    return answer;
}

EXPORT(int, posix_spawnp, int *pid, const char *name, const void *actions, const void *attributes,
       char *const argv[], char *const env[])
{
    spawn_fn next =
        NEXT(int, posix_spawnp,
             (int *, const char *, const void *, const void *, char *const[], char *const[]));
    const char *dir = lc_variable(environ, "PATH=");
    char candidate[LC_PATH_MAX];

    for (const char *p = name; *p; p++)
        if (*p == '/')
            return spawn(next, pid, name, actions, attributes, argv, env);
    while (lc_client_node() && dir) {
        size_t n = 0;
        while (dir[n] && dir[n] != ':')
            n++;
        if (n > 0 && dir[0] == '/' && lc_bytes_join(candidate, sizeof(candidate), dir, n, name) &&
            is_program(candidate))
            return spawn(next, pid, candidate, actions, attributes, argv, env);
        if (n == 0 || dir[0] != '/' || !dir[n])
            break; /* the working directory, or the end: as the C library does it */
        dir += n + 1;
    }
    return next(pid, name, actions, attributes, argv, env);
}

/* A file that the child will open, perhaps to write. */
EXPORT(int, posix_spawn_file_actions_addopen, void *actions, int fd, const char *path, int flags,
       unsigned mode)
{
    if ((flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)))
        lc_note_change(AT_FDCWD, path, LC_CHANGE_CONTENT);
    return NEXT(int, posix_spawn_file_actions_addopen,
                (void *, int, const char *, int, unsigned))(actions, fd, path, flags, mode);
}
