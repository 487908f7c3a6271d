/* SPDX-License-Identifier: MIT */
/* program.c - record programs that are started
 *
 * A dynamic program records itself (audit/record.c). Here paths that do not exist and static
 * programs are recorded. They are recorded before the call, because an exec that succeeds does
 * not return.
 *
 * execl and the like, system and popen are not wrapped. In a pilot the program they start records
 * itself; a program that is watched in the user's job (watched.h) starts them as without us.
 */
#include <linux/fcntl.h>
#include <linux/mman.h>

#include "client/pilot/note.h"
#include "client/pilot/watched.h"
#include "client/preload/readable.h"
#include "image/bytes.h"
#include "node/syscall.h"

extern char **environ __attribute__((weak));

enum { PATH_BYTES = 4096, EXECUTE = 1 /* X_OK */, TOO_LONG = 7 /* E2BIG */ };

/* Record the path of a program. True: it exists and may be executed. */
static bool note_program(const char *path)
{
    bool is_silent = lc_watched_is_filtered();
    long found = path && !is_silent ? lc_sys_access(path, EXECUTE) : -1;

    if (path && !is_silent)
        NOTE(.call = "execve", .result = found, .dirfd = AT_FDCWD, .path = path,
             .is_announced = found == 0);
    return found == 0;
}

static const char *search_path(void)
{
    for (char **v = environ; v && *v; v++)
        if (lc_bytes_compare("PATH=", *v, 5) == 0)
            return *v + 5;
    return "/bin:/usr/bin";
}

/* Record the paths DIR/NAME that execvp tries, up to the first that exists: that one is in 'found',
 * which is empty if there is none. */
static void note_search(const char *name, char found[PATH_BYTES])
{
    size_t n = lc_is_text(name) ? lc_bytes_length(name) : 0;
    bool is_path = false;

    found[0] = '\0';
    for (size_t i = 0; i < n; i++)
        is_path |= name[i] == '/';
    if (is_path) {
        if (note_program(name) && n < PATH_BYTES)
            lc_bytes_move(found, name, n + 1);
        return;
    }
    for (const char *dir = n ? search_path() : ""; *dir;) {
        size_t len = 0;
        while (dir[len] && dir[len] != ':')
            len++;
        if (len > 0 && len + n + 2 <= PATH_BYTES) {
            lc_bytes_move(found, dir, len);
            found[len] = '/';
            lc_bytes_move(found + len + 1, name, n + 1);
            if (note_program(found))
                return;
        }
        dir += len + (dir[len] == ':');
    }
    found[0] = '\0';
}

/* The environment for a program. If the kernel is going to find that 'argv' leads nowhere, no
 * memory of ours may be there. */
static char *const *path_follow(struct lc_exec_plan *memory, const char *path, char *const argv[],
                                char *const env[])
{
    return lc_watched_follow(memory, lc_is_pointers(argv) ? path : NULL, env);
}

/* The same for the program that is found by this name. Its path is not on the stack,
 * which may be that of a coroutine. */
static char *const *name_follow(struct lc_exec_plan *memory, const char *name, char *const argv[],
                                char *const env[])
{
    char *found = lc_sys_mmap(PATH_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

    if (lc_sys_is_error(found))
        return lc_watched_follow(memory, NULL, env);
    note_search(name, found);
    char *const *its = path_follow(memory, found, argv, env);
    lc_sys_munmap(found, PATH_BYTES);
    return its;
}

typedef int (*exec_fn)(const char *, char *const[], char *const[]);

/* Execute with the environment 'its', or, if that makes the arguments too long, with the caller's.
 */
static int execute(exec_fn next, const char *path, char *const argv[], char *const its[],
                   char *const env[], struct lc_exec_plan *memory)
{
    bool is_ours = its != env;
    int result = next(path, argv, its);

    lc_exec_plan_end(memory);
    return is_ours && lc_get_errno() == TOO_LONG ? next(path, argv, env) : result;
}

static int path_execute(const char *path, char *const argv[], char *const env[])
{
    struct lc_exec_plan memory;
    exec_fn next = NEXT(int, execve, (const char *, char *const[], char *const[]));

    note_program(path);
    return execute(next, path, argv, path_follow(&memory, path, argv, env), env, &memory);
}

EXPORT(int, execve, const char *path, char *const argv[], char *const env[])
{
    return path_execute(path, argv, env);
}

EXPORT(int, execv, const char *path, char *const argv[])
{
    return path_execute(path, argv, environ);
}

static int name_execute(const char *name, char *const argv[], char *const env[])
{
    struct lc_exec_plan memory;
    exec_fn next = NEXT(int, execvpe, (const char *, char *const[], char *const[]));

    return execute(next, name, argv, name_follow(&memory, name, argv, env), env, &memory);
}

EXPORT(int, execvp, const char *name, char *const argv[])
{
    return name_execute(name, argv, environ);
}

EXPORT(int, execvpe, const char *name, char *const argv[], char *const env[])
{
    return name_execute(name, argv, env);
}

typedef int (*spawn_fn)(int *, const char *, const void *, const void *, char *const[],
                        char *const[]);

/* The same as execute(). */
static int spawn(spawn_fn next, int *pid, const char *path, const void *actions,
                 const void *attributes, char *const argv[], char *const its[], char *const env[],
                 struct lc_exec_plan *memory)
{
    bool is_ours = its != env;
    int result = next(pid, path, actions, attributes, argv, its);

    lc_exec_plan_end(memory);
    return is_ours && result == TOO_LONG ? next(pid, path, actions, attributes, argv, env) : result;
}

EXPORT(int, posix_spawn, int *pid, const char *path, const void *actions, const void *attributes,
       char *const argv[], char *const env[])
{
    struct lc_exec_plan memory;
    spawn_fn next =
        NEXT(int, posix_spawn,
             (int *, const char *, const void *, const void *, char *const[], char *const[]));

    note_program(path);
    char *const *its = path_follow(&memory, path, argv, env);
    return spawn(next, pid, path, actions, attributes, argv, its, env, &memory);
}

EXPORT(int, posix_spawnp, int *pid, const char *name, const void *actions, const void *attributes,
       char *const argv[], char *const env[])
{
    struct lc_exec_plan memory;
    spawn_fn next =
        NEXT(int, posix_spawnp,
             (int *, const char *, const void *, const void *, char *const[], char *const[]));

    char *const *its = name_follow(&memory, name, argv, env);
    return spawn(next, pid, name, actions, attributes, argv, its, env, &memory);
}
