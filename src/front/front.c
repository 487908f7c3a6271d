/* SPDX-License-Identifier: MIT */
/* front.c - the program that users call: starts loadcast-full without a search for libraries
 *
 * A dynamically linked program searches every directory of LD_LIBRARY_PATH for its libraries and
 * loads what LD_PRELOAD names. Those may be on the slow file system, and 'loadcast exec' runs
 * before every rank. This program is static and has no C library: it hides ld.so's variables and
 * executes the program that does the work, which restores them. */
#include <stdbool.h>

#include "front/hidden.h"
#include "image/bytes.h"
#include "node/syscall.h"

#define FULL      "loadcast-full"
#define INSTALLED "../libexec/loadcast/" FULL

enum { AT_EXECFN_ = 31, SELF_FAILED = 125, PATH_SIZE = 4096 };

/* What the kernel puts on the stack of a new process. */
struct start {
    long argc;
    char *argv[];
};

_Noreturn void lc_entry_point(struct start *stack);

static const char *executed_name(char **env)
{
    while (*env)
        env++;
    for (unsigned long *aux = (unsigned long *)(env + 1); aux[0]; aux += 2)
        if (aux[0] == AT_EXECFN_)
            return (const char *)aux[1];
    return "";
}

/* The directory of this program with a slash at its end, in 'out'. Returns its length. Links to the
 * program are resolved, unless /proc is missing. */
static size_t own_directory(char out[PATH_SIZE], char **env)
{
    long n = lc_sys_readlink("/proc/self/exe", out, PATH_SIZE - sizeof(INSTALLED));

    if (n <= 0) {
        const char *name = executed_name(env);
        n = (long)lc_bytes_length(name);
        n = n < PATH_SIZE - (long)sizeof(INSTALLED) ? n : 0;
        lc_bytes_move(out, name, (size_t)n);
    }
    while (n > 0 && out[n - 1] != '/')
        n--;
    return (size_t)n;
}

static bool ends_in_bin(const char *dir, size_t n)
{
    return n >= 5 && lc_bytes_equal(dir + n - 5, "/bin/", 5);
}

/* Execute dir + full; returns only if that fails. */
static void exec_program(char dir[PATH_SIZE], size_t n, const char *full, size_t size, char **argv,
                         char **env)
{
    lc_bytes_move(dir + n, full, size);
    LC_SYS3(__NR_execve, dir, argv, env);
}

static void error_print(const char *text)
{
    lc_sys_write(2, text, lc_bytes_length(text));
}

_Noreturn void lc_entry_point(struct start *stack)
{
    char **env = stack->argv + stack->argc + 1, path[PATH_SIZE];
    size_t n = own_directory(path, env);
    bool installed = ends_in_bin(path, n);

    lc_front_swap_letter(env, LC_FRONT_LETTER, LC_FRONT_HIDDEN);
    if (!installed)
        exec_program(path, n, FULL, sizeof(FULL), stack->argv, env);
    exec_program(path, n, INSTALLED, sizeof(INSTALLED), stack->argv, env);
    if (installed)
        exec_program(path, n, FULL, sizeof(FULL), stack->argv, env);
    error_print("loadcast: cannot execute '");
    error_print(path);
    error_print("'; install Loadcast whole\n");
    for (;;)
        LC_SYS3(__NR_exit_group, SELF_FAILED, 0, 0);
}
