/* SPDX-License-Identifier: MIT */
/* exec.c - execve and the like: start the staged program under its original name
 *
 * These functions may run between vfork and exec, in the parent's memory: they take no lock,
 * and nothing stays allocated.
 */
#include <stddef.h>
#include <stdint.h>

#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "client/preload/exec_plan.h"
#include "image/bytes.h"
#include "node/syscall.h"

extern char **environ __attribute__((weak));

enum {
    MOST_ARGUMENTS = 30000,
    NO_ENTRY = 2,
    NOT_EXECUTABLE = 8, /* ENOEXEC */
    NO_ACCESS = 13,
    NOT_A_DIRECTORY = 20,
};

static int path_execute(const char *path, char *const argv[], char *const env[])
{
    struct lc_exec_plan plan;
    int error = lc_exec_plan_make(&plan, path, argv, env);

    if (error)
        return (int)lc_return(-error);
    lc_exec_plan_write(&plan, LC_EXEC_PLAN_SPACE(&plan));
    if (plan.is_staged)
        LC_SYS3(__NR_execve, plan.file, plan.argv, plan.env);
    /* The program is not staged, or its staged copy could not be executed. */
    int result =
        NEXT(int, execve, (const char *, char *const[], char *const[]))(path, argv, plan.env);
    lc_exec_plan_end(&plan);
    return result;
}

EXPORT(int, execve, const char *path, char *const argv[], char *const env[])
{
    return path_execute(path, argv, env);
}

EXPORT(int, execv, const char *path, char *const argv[])
{
    return path_execute(path, argv, environ);
}

static bool error_allows_next(int error)
{
    return error == NO_ENTRY || error == NOT_A_DIRECTORY || error == NO_ACCESS ||
           error == 116 /* ESTALE */ || error == 19 /* ENODEV */ || error == 110 /* ETIMEDOUT */;
}

static int shell_execute(const char *path, char *const argv[], char *const env[])
{
    size_t n = lc_count_arguments(argv);

    if (n >= MOST_ARGUMENTS)
        return -1;
    char **list = __builtin_alloca((n + 3) * sizeof(*list));
    list[0] = (char *)(uintptr_t) "/bin/sh";
    list[1] = (char *)(uintptr_t)path;
    for (size_t i = 1; i < n; i++)
        list[i + 1] = argv[i];
    list[n > 0 ? n + 1 : 2] = NULL;
    return path_execute("/bin/sh", list, env);
}

/* The length of the longest element of a search path. */
static size_t longest_element(const char *path)
{
    size_t most = 0;

    for (size_t n; *path; path += n + (path[n] != '\0')) {
        for (n = 0; path[n] && path[n] != ':'; n++)
            ;
        most = n > most ? n : most;
    }
    return most;
}

/* As execvp does: the PATH is that of the caller's environment, not of the new one. */
static int name_execute(const char *name, char *const argv[], char *const env[])
{
    const char *path = lc_variable(environ, "PATH=");
    bool was_denied = false, has_slash = false;

    for (const char *p = name; *p; p++)
        has_slash |= *p == '/';
    if (!*name) {
        lc_set_errno(NO_ENTRY);
        return -1;
    }
    path = has_slash ? "" : path ? path : "/bin:/usr/bin";
    size_t size = longest_element(path) + lc_bytes_length(name) + 2;
    size = size < LC_PATH_MAX ? size : LC_PATH_MAX;
    char *candidate = __builtin_alloca(size); /* as the C library does */
    for (const char *dir = path;;) {
        size_t n = 0;
        while (dir[n] && dir[n] != ':')
            n++;
        if (lc_bytes_join(candidate, size, dir, has_slash ? 0 : n, name)) {
            path_execute(candidate, argv, env);
            if (lc_get_errno() == NOT_EXECUTABLE)
                return shell_execute(candidate, argv, env);
            was_denied |= lc_get_errno() == NO_ACCESS;
            if (has_slash || !error_allows_next(lc_get_errno()))
                return -1;
        }
        if (!dir[n])
            break;
        dir += n + 1;
    }
    lc_set_errno(was_denied ? NO_ACCESS : NO_ENTRY);
    return -1;
}

EXPORT(int, execvp, const char *name, char *const argv[])
{
    return name_execute(name, argv, environ);
}

EXPORT(int, execvpe, const char *name, char *const argv[], char *const env[])
{
    return name_execute(name, argv, env);
}

/* Collect the arguments of execl and the like up to the NULL in argv; 'list' then stands behind the
 * NULL. */
#define COLLECT(first, list, argv)                               \
    __builtin_va_list list, lc_copy;                             \
    __builtin_va_start(list, first);                             \
    __builtin_va_copy(lc_copy, list);                            \
    size_t lc_n = 1;                                             \
    while (first && __builtin_va_arg(lc_copy, char *))           \
        lc_n++;                                                  \
    __builtin_va_end(lc_copy);                                   \
    char **argv = __builtin_alloca((lc_n + 1) * sizeof(char *)); \
    argv[0] = (char *)(uintptr_t)first;                          \
    for (size_t lc_i = 1; first && lc_i <= lc_n; lc_i++)         \
    argv[lc_i] = __builtin_va_arg(list, char *)

EXPORT(int, execl, const char *path, const char *first, ...)
{
    COLLECT(first, list, argv);
    __builtin_va_end(list);
    return path_execute(path, argv, environ);
}

EXPORT(int, execlp, const char *name, const char *first, ...)
{
    COLLECT(first, list, argv);
    __builtin_va_end(list);
    return name_execute(name, argv, environ);
}

EXPORT(int, execle, const char *path, const char *first, ...)
{
    COLLECT(first, list, argv);
    char *const *env = __builtin_va_arg(list, char *const *);
    __builtin_va_end(list);
    return path_execute(path, argv, env);
}
