/* SPDX-License-Identifier: MIT */
/* front.c - the program that users call: starts loadcast-full without a search for libraries
 *
 * A dynamically linked program searches every directory of LD_LIBRARY_PATH for its libraries and
 * loads what LD_PRELOAD names. Those may be on the slow file system, and 'loadcast exec' runs
 * before every rank. This program is static and has no C library: it hides ld.so's variables and
 * executes the program that does the work, which restores them.
 *
 * Where limits (ulimit) are so tight, or arguments so long, that the other program may not even
 * start, nobody else could run the user's line: it is executed here, without Loadcast. */
#include <stdbool.h>

#include "front/hidden.h"
#include "front/plain_line.h"
#include "image/bytes.h"
#include "node/message.h"
#include "node/syscall.h"
#include "node/tight_limits.h"
#include "node/watched.h"

#define FULL      "loadcast-full"
#define INSTALLED "../libexec/loadcast/" FULL

enum {
    AT_EXECFN_ = 31,
    SELF_FAILED = 125,
    NOT_EXECUTABLE = 126,
    NOT_FOUND = 127,
    PATH_SIZE = 4096,
    NO_ENTRY = 2,
    TOO_LONG = 7,
    NO_DIRECTORY = 20
};

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

/* Execute dir + full; returns only if that fails. True: the arguments are too long. */
static bool exec_program(char dir[PATH_SIZE], size_t n, const char *full, size_t size, char **argv,
                         char **env)
{
    lc_bytes_move(dir + n, full, size);
    return LC_SYS3(__NR_execve, dir, argv, env) == -TOO_LONG;
}

_Noreturn static void process_exit(int code)
{
    for (;;)
        LC_SYS3(__NR_exit_group, code, 0, 0);
}

static bool is_quiet(char **argv, char *const *line)
{
    for (; argv < (char **)line; argv++)
        if (lc_bytes_same(*argv, "-q") || lc_bytes_same(*argv, "--quiet") ||
            lc_bytes_same(*argv, LC_WATCHED_RANK))
            return true;
    return false;
}

_Noreturn static void line_execute(const char *why, char **argv, char **line, char **env)
{
    if (!is_quiet(argv, line)) {
        lc_message_write("loadcast: ");
        lc_message_write(why);
        lc_message_write("; running without it\n");
    }
    int error = lc_plain_line_execute(line, env);
    lc_message_write("loadcast: cannot execute '");
    lc_message_write(line[0]);
    lc_message_write("'\n");
    process_exit(error == NO_ENTRY || error == NO_DIRECTORY ? NOT_FOUND : NOT_EXECUTABLE);
}

_Noreturn void lc_entry_point(struct start *stack)
{
    char **env = stack->argv + stack->argc + 1, path[PATH_SIZE];
    size_t n = own_directory(path, env);
    bool installed = ends_in_bin(path, n);
    char **line = lc_limits_are_tight() ? lc_plain_line_find(stack->argv) : NULL;

    if (line)
        line_execute("the limits here (ulimit) are too tight for it", stack->argv, line, env);
    lc_front_swap_letter(env, LC_FRONT_LETTER, LC_FRONT_HIDDEN);
    bool is_too_long = !installed && exec_program(path, n, FULL, sizeof(FULL), stack->argv, env);
    is_too_long |= exec_program(path, n, INSTALLED, sizeof(INSTALLED), stack->argv, env);
    is_too_long |= installed && exec_program(path, n, FULL, sizeof(FULL), stack->argv, env);
    lc_front_swap_letter(env, LC_FRONT_HIDDEN, LC_FRONT_LETTER);
    line = is_too_long ? lc_plain_line_find(stack->argv) : NULL;
    if (line)
        line_execute("the arguments are too long for it", stack->argv, line, env);
    lc_message_write("loadcast: cannot execute '");
    lc_message_write(path);
    lc_message_write("'; install Loadcast whole\n");
    process_exit(SELF_FAILED);
}
