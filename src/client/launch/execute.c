/* SPDX-License-Identifier: MIT */
/* execute.c - execute the program: the staged file with our objects, or the original without them
 */
#include "client/launch/launch.h"

#include <linux/mman.h>

#include "image/bytes.h"
#include "node/exec_path.h"
#include "node/mounts.h"
#include "node/syscall.h"

enum { MOST_SCRIPTS = 4 /* the kernel's limit of interpreters that are scripts */ };

static struct lc_found_program program;
static struct lc_script script[MOST_SCRIPTS + 1];

static int file_execute(const char *file, char *const *argv, char *const *env)
{
    return (int)-LC_SYS3(__NR_execve, file, argv, env);
}

static size_t arguments_count(char *const *list)
{
    size_t n = 0;

    while (list[n])
        n++;
    return n;
}

static char *text_copy(const char *text)
{
    size_t n = lc_bytes_length(text) + 1;
    char *at = lc_sys_mmap(n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

    if (lc_sys_is_error(at))
        return NULL;
    lc_bytes_move(at, text, n);
    return at;
}

/* The arguments that the kernel makes for a script: interpreter, option, script, then all arguments
 * but the first. */
static char **script_arguments(char **argv, const struct lc_script *s, const char *path)
{
    size_t n = arguments_count(argv), at = 0;
    char **list = lc_sys_mmap((n + 3) * sizeof(char *), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1);
    char *kept = text_copy(path);

    if (lc_sys_is_error(list) || !kept)
        return NULL;
    list[at++] = s->interpreter;
    if (s->option)
        list[at++] = s->option;
    list[at++] = kept;
    for (size_t i = 1; i < n; i++)
        list[at++] = argv[i];
    return list;
}

/* Count the start. l->full holds the path that was looked up last: the program's. */
static void count_start(const struct lc_rank_start *l)
{
    bool is_managed = lc_mounts_is_managed(&l->node.look, l->node.state->held, l->full);

    if (program.is_staged)
        lc_node_count(&l->node, LC_COUNT_EXEC);
    else
        lc_node_count_passed(&l->node, is_managed ? LC_COUNT_PASS_UNKNOWN : LC_COUNT_PASS_OUTSIDE,
                             l->full);
    if (!program.is_staged && is_managed)
        lc_node_note_miss(&l->node, LC_MISS_EXEC, l->full);
}

static int run_bare(struct lc_rank_start *l, char **argv, const char *why)
{
    if (why)
        lc_launch_tell(l, program.path, why);
    lc_launch_strip(l);
    return file_execute(program.path, argv, l->env);
}

/* An error returned here and below means that the program is left to the kernel. */
static int run_dynamic(struct lc_rank_start *l, char **argv)
{
    enum lc_fit_kind fit = lc_launch_fit(l, &program);

    if (fit == LC_FIT_NOTHING)
        return run_bare(l, argv,
                        "is built with AddressSanitizer, whose runtime must come first: not "
                        "covered");
    program.is_staged &= fit != LC_FIT_NO_AUDIT;
    count_start(l);
    if (fit == LC_FIT_NO_AUDIT)
        return file_execute(program.path, argv, l->ours);
    int rc = file_execute(program.file, argv, l->ours);
    return program.is_staged ? file_execute(program.path, argv, l->ours) : rc;
}

static int run_binary(struct lc_rank_start *l, char **argv, enum lc_program_kind kind)
{
    if (l->is_measuring)
        return kind == LC_PROGRAM_DYNAMIC ? lc_launch_fit(l, &program) : 0;
    if (program.is_privileged)
        return run_bare(l, argv, "is set-user-ID, set-group-ID or has capabilities: not covered");
    if (kind == LC_PROGRAM_FOREIGN)
        return run_bare(l, argv, "is not a 64-bit program of glibc for this machine: not covered");
    if (kind == LC_PROGRAM_NO_DESCRIPTOR)
        return run_bare(l, argv, NULL);
    if (kind == LC_PROGRAM_DYNAMIC)
        return run_dynamic(l, argv);
    if (kind == LC_PROGRAM_STATIC)
        lc_launch_tell(l, program.path,
                       "is statically linked: only the dynamic programs it starts are covered");
    return file_execute(program.path, argv, l->ours);
}

/* The stager has looked at what it staged. */
static enum lc_program_kind program_kind(struct lc_script *out)
{
    if (program.is_staged && (program.stat.flags & LC_STAGED_DYNAMIC))
        return LC_PROGRAM_DYNAMIC;
    return lc_program_kind(program.file, out);
}

int lc_launch_run(struct lc_rank_start *l)
{
    char **argv = l->argv;
    size_t at = 0; /* index of the script in the arguments; 0: not a script */
    int rc =
        l->is_child ? lc_launch_locate(l, l->name, &program) : lc_launch_find(l, l->name, &program);

    for (int depth = 0; rc == 0; depth++) {
        enum lc_program_kind kind = program_kind(&script[depth]);
        if (kind != LC_PROGRAM_SCRIPT || program.is_privileged || depth == MOST_SCRIPTS) {
            if (at && program.is_staged)
                lc_exec_path_mark_script(&l->node, program.file, sizeof(program.file), at);
            return run_binary(l, argv, kind);
        }
        argv = script_arguments(argv, &script[depth], program.path);
        if (!argv)
            return LC_E2BIG;
        at += script[depth].option ? 2 : 1;
        rc = lc_launch_locate(l, script[depth].interpreter, &program);
    }
    return rc;
}

/* As execvp does: a file without a known format is run by the shell. */
static int execute_or_shell(const char *file, struct lc_rank_start *l)
{
    const struct lc_script shell = {.interpreter = (char *)(uintptr_t) "/bin/sh"};
    int rc = file_execute(file, l->argv, l->env);

    if (rc != LC_ENOEXEC)
        return rc;
    char **argv = script_arguments(l->argv, &shell, file);
    if (argv)
        file_execute("/bin/sh", argv, l->env);
    return rc;
}

/* As execvp, with the launcher's environment without our variables. */
int lc_launch_without_client(struct lc_rank_start *l)
{
    const char *dir = l->path ? l->path : "/bin:/usr/bin", *name = l->name;
    int error = LC_ENOENT;
    bool slash = false;

    lc_launch_strip(l);
    for (const char *p = name; *p; p++)
        slash |= *p == '/';
    if (slash || !*name || l->is_child)
        return execute_or_shell(name, l);
    for (;;) {
        size_t n = 0, len = lc_bytes_length(name);
        while (dir[n] && dir[n] != ':')
            n++;
        if (n + len + 2 <= sizeof(l->full)) {
            lc_bytes_move(l->full, dir, n);
            l->full[n] = '/';
            lc_bytes_move(l->full + n + (n > 0), name, len + 1);
            int rc = execute_or_shell(l->full, l);
            if (rc != LC_ENOENT && rc != LC_ENOTDIR)
                error = rc;
            if (rc != LC_ENOENT && rc != LC_ENOTDIR && rc != LC_EACCES)
                return rc;
        }
        if (!dir[n])
            return error;
        dir += n + 1;
    }
}
