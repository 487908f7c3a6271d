/* SPDX-License-Identifier: MIT */
/* program.c - record programs that are started
 *
 * A dynamic program records itself (audit/record.c). Here paths that do not exist and static
 * programs are recorded. They are recorded before the call, because an exec that succeeds does
 * not return.
 *
 * execl and the like, system and popen are not wrapped: the program they start records itself.
 */
#include <linux/fcntl.h>

#include "client/pilot/note.h"
#include "image/bytes.h"
#include "node/syscall.h"

extern char **environ __attribute__((weak));

enum { PATH_BYTES = 4096, EXECUTE = 1 /* X_OK */ };

/* Record the path of a program. True: it exists and may be executed. */
static bool note_program(const char *path)
{
    long found = path ? lc_sys_access(path, EXECUTE) : -1;

    if (path)
        NOTE(.call = "execve", .result = found, .dirfd = AT_FDCWD, .path = path);
    return found == 0;
}

static const char *search_path(void)
{
    for (char **v = environ; v && *v; v++)
        if (lc_bytes_compare("PATH=", *v, 5) == 0)
            return *v + 5;
    return "/bin:/usr/bin";
}

/* Record the paths DIR/NAME that execvp tries, up to the first that exists. */
static void note_search(const char *name)
{
    char candidate[PATH_BYTES];
    size_t n = name ? lc_bytes_length(name) : 0;

    for (size_t i = 0; i < n; i++)
        if (name[i] == '/') {
            note_program(name);
            return;
        }
    for (const char *dir = n ? search_path() : ""; *dir;) {
        size_t len = 0;
        while (dir[len] && dir[len] != ':')
            len++;
        if (len > 0 && len + n + 2 <= sizeof(candidate)) {
            lc_bytes_move(candidate, dir, len);
            candidate[len] = '/';
            lc_bytes_move(candidate + len + 1, name, n + 1);
            if (note_program(candidate))
                return;
        }
        dir += len + (dir[len] == ':');
    }
}

EXPORT(int, execve, const char *path, char *const argv[], char *const env[])
{
    note_program(path);
    return NEXT(int, execve, (const char *, char *const[], char *const[]))(path, argv, env);
}

EXPORT(int, execv, const char *path, char *const argv[])
{
    note_program(path);
    return NEXT(int, execv, (const char *, char *const[]))(path, argv);
}

EXPORT(int, execvp, const char *name, char *const argv[])
{
    note_search(name);
    return NEXT(int, execvp, (const char *, char *const[]))(name, argv);
}

EXPORT(int, execvpe, const char *name, char *const argv[], char *const env[])
{
    note_search(name);
    return NEXT(int, execvpe, (const char *, char *const[], char *const[]))(name, argv, env);
}

typedef int (*spawn_fn)(int *, const char *, const void *, const void *, char *const[],
                        char *const[]);

EXPORT(int, posix_spawn, int *pid, const char *path, const void *actions, const void *attributes,
       char *const argv[], char *const env[])
{
    spawn_fn next =
        NEXT(int, posix_spawn,
             (int *, const char *, const void *, const void *, char *const[], char *const[]));

    note_program(path);
    return next(pid, path, actions, attributes, argv, env);
}

EXPORT(int, posix_spawnp, int *pid, const char *name, const void *actions, const void *attributes,
       char *const argv[], char *const env[])
{
    spawn_fn next =
        NEXT(int, posix_spawnp,
             (int *, const char *, const void *, const void *, char *const[], char *const[]));

    note_search(name);
    return next(pid, name, actions, attributes, argv, env);
}
