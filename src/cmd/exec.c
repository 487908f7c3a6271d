/* SPDX-License-Identifier: MIT */
/* exec.c - loadcast exec: run a program from an image in this node's memory */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/counts.h"
#include "cmd/exec_check.h"
#include "cmd/exec_suspect.h"
#include "launch/job_run.h"
#include "node/launcher_protocol.h"
#include "node/parts.h"
#include "record/ranks.h"
#include "stage/fit.h"
#include "stage/stage.h"
#include "util/cli.h"
#include "util/human.h"
#include "util/process.h"

static struct {
    const char *dir, *only, *prune;
    bool stats, strict, quiet, verify, no_check;
    const char *verify_ranks;
    double wait_s;
} opt = {.only = "all", .prune = "auto", .wait_s = 10};

static const char *const kinds[] = {"all", "libs", NULL};
static const char *const prunes[] = {"auto", "off", NULL};

static const struct lc_opt options[] = {
    {0, "dir", LC_OPT_STRING, &opt.dir, "DIR",
     "stage to DIR and nowhere else; else the first of $LOADCAST_DIR, /dev/shm, $TMPDIR, /tmp that "
     "is local, mounted exec and large enough"},
    {0, "only", LC_OPT_CHOICE, &opt.only, "WHAT",
     "serve programs and libraries alone (libs), or everything (all)", .choices = kinds},
    {0, "stats", LC_OPT_FLAG, &opt.stats, NULL,
     "wait for the program and say what was answered from memory and what was not"},
    {0, "strict", LC_OPT_FLAG, &opt.strict, NULL,
     "if the image cannot be used, fail instead of running the program without it"},
    {0, "wait", LC_OPT_SECONDS, &opt.wait_s, "TIME",
     "give up on another process that stages but has done nothing for TIME", 0.1, 86400},
    {0, "prune", LC_OPT_CHOICE, &opt.prune, "WHEN",
     "hide needed names from ld.so where that is known to change nothing (auto), or never (off)",
     .choices = prunes},
    {0, "verify-bindings", LC_OPT_FLAG, &opt.verify, NULL,
     "replay symbol bindings, let ld.so look all of them up as well, and say whether they differ"},
    {0, "verify-ranks", LC_OPT_STRING, &opt.verify_ranks, "1/N",
     "the same, in every N-th rank only"},
    {0, "no-check", LC_OPT_FLAG, &opt.no_check, NULL,
     "do not compare the image with the file system first, as is done outside a job"},
    {'q', "quiet", LC_OPT_FLAG, &opt.quiet, NULL, "do not say what was staged, or is old"},
    {0},
};

static const struct lc_cli cli = {
    .name = "loadcast exec",
    .usage = "[options] IMAGE -- CMD [ARG...]",
    .summary = "Run a command whose files come from an image in this node's memory.",
    .notes = "LOADCAST=0 in the environment runs the command as if Loadcast were not there.\n"
             "Exit status: the command's own; 125 if exec failed, 126 if the command cannot be\n"
             "executed, 127 if it does not exist.\n",
    .opts = options,
    .stop_at_word = true,
};

static bool client_is_off(void)
{
    const char *off = getenv(LC_NODE_OFF);

    return off && strcmp(off, "0") == 0;
}

/* The caller's actions for signals: a message of ours that nobody reads, or that is beyond the
 * limit on the size of files, must not end this process before the program runs. */
static struct lc_line_signals callers;

static void program_execute(int (*execute)(const char *, char *const *), const char *file,
                            char **argv)
{
    lc_line_signals_restore(&callers);
    execute(file, argv);
    int saved = errno;
    lc_line_signals_take(&callers);
    errno = saved;
}

/* Execute the program as if there were no Loadcast. Returns the exit code if it cannot be executed.
 */
static int run_without_client(char **argv)
{
    struct lc_error err;

    unsetenv(LC_NODE_VARIABLE);
    program_execute(execvp, argv[0], argv);
    int code = errno;
    lc_error_errno(&err, "cannot execute '%s'", argv[0]);
    lc_cli_fail(&cli, 0, &err);
    return code == ENOENT || code == ENOTDIR ? LC_EXIT_NOT_FOUND : LC_EXIT_NOT_EXECUTABLE;
}

/* The image or the node directory cannot be used: print one line and run the program without it. */
static int failure_report(const struct lc_error *err, char **argv)
{
    if (opt.strict)
        return lc_cli_fail(&cli, LC_EXIT_SELF, err);
    fprintf(stderr, "loadcast exec: %s; running without it\n", err->text);
    return run_without_client(argv);
}

static void tell_staged(const struct lc_nodedir *node, const struct lc_stage_report *did)
{
    if (opt.quiet || !did->fresh)
        return;
    fprintf(stderr, "loadcast exec: staged %s files to '%s' in %s; takes %s of this node's %s\n",
            lc_human_count(did->files).s, node->path, lc_human_seconds(did->seconds).s,
            lc_human_bytes(did->bytes).s, did->is_memory ? "memory" : "disk");
    if (node->state->flags & LC_STATE_NO_EXEC)
        fprintf(stderr,
                "loadcast exec: that directory is mounted noexec: programs and libraries are "
                "not served; set LOADCAST_DIR to one that is not\n");
    if (did->stale > 0)
        fprintf(stderr, "loadcast exec: removed %u stale node director%s\n", did->stale,
                did->stale == 1 ? "y" : "ies");
}

static int node_prepare(const char *image, const char *command, struct lc_nodedir *node,
                        char *origin, struct lc_error *err)
{
    struct lc_stage_report did;
    const struct lc_stage_options how = {
        .dir = opt.dir,
        .only_libs = strcmp(opt.only, "libs") == 0,
        .patience_s = opt.wait_s,
        .origin = origin,
    };

    if (lc_stage_origin(origin, PATH_MAX, err) < 0 || lc_stage(image, &how, node, &did, err) < 0)
        return -1;
    tell_staged(node, &did);
    if (lc_fit_glibc(&node->look, err) == 0 &&
        lc_fit_python(&node->look, node->state->held, command, err) == 0)
        return 0;
    lc_nodedir_close(node);
    return -1;
}

/* The launcher in the node directory; if nothing there may be executed, the installed launcher. */
static void launcher_path(char *out, size_t size, const struct lc_nodedir *node, const char *origin)
{
    if (node->state->flags & LC_STATE_NO_EXEC)
        snprintf(out, size, "%s/launch", origin);
    else
        snprintf(out, size, "%s%s", node->path, LC_NODE_LAUNCH);
}

/* Execute the launcher, which executes the program. Returns an exit code if that fails. */
static int launcher_execute(const char *launcher, const char *node, char **argv)
{
    struct lc_error err;

    argv[-1] = (char *)(uintptr_t) "launch"; /* this element held "--" or the name of the image */
    if (setenv(LC_NODE_VARIABLE, node, 1) == 0 &&
        (opt.quiet || setenv(LC_LAUNCH_TELL, "1", 1) == 0))
        program_execute(execv, launcher, argv - 1);
    lc_error_errno(&err, "cannot execute '%s'", launcher);
    return failure_report(&err, argv);
}

static int wait_for(pid_t child, struct lc_error *err)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return lc_error_errno(err, "cannot wait for the program");
    return status;
}

static volatile pid_t program;

static void signal_forward(int number)
{
    if (program > 0)
        kill(program, number);
}

static void signals_set(void)
{
    static const int others[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM};

    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        signal(others[i], signal_forward);
}

/* Run the program as a child and print the statistics at the end. Signals of the terminal reach the
 * child directly; others are forwarded. */
static int run_and_tell(const char *launcher, const struct lc_nodedir *node, const char *image,
                        char **argv)
{
    struct lc_error err;
    struct lc_counts before = lc_live_read(node->live);
    struct lc_live live_before = *node->live;

    program = fork();
    if (program == 0)
        _exit(launcher_execute(launcher, node->path, argv));
    signals_set();
    int status = program < 0 ? lc_error_errno(&err, "cannot fork") : wait_for(program, &err);
    if (status < 0)
        return lc_cli_fail(&cli, LC_EXIT_SELF, &err);
    struct lc_counts now = lc_live_since(node->live, &before);
    if (opt.stats)
        lc_counts_print(&now, stderr);
    lc_counts_print_bindings(node->live, &live_before, stderr);
    if (opt.stats)
        lc_counts_print_passed(node->live, &live_before, image, stderr);
    fflush(stderr);
    lc_process_end_as(status);
}

/* --verify-ranks 1/N: is this rank one of those that verify? */
static int verifying_choose(struct lc_error *err)
{
    struct lc_ranks ranks;
    long every;

    if (!opt.verify_ranks)
        return 0;
    if (strncmp(opt.verify_ranks, "1/", 2) != 0 ||
        lc_parse_long("--verify-ranks", opt.verify_ranks + 2, 1, 1000000000, &every, err) < 0)
        return lc_error_set(err, "--verify-ranks takes 1/N with a whole number N, not '%s'",
                            opt.verify_ranks);
    lc_ranks_detect(&ranks);
    opt.verify |= ranks.rank % every == 0;
    return 0;
}

int lc_cmd_exec(int argc, char **argv)
{
    struct lc_nodedir node;
    struct lc_error err;
    char origin[PATH_MAX], launcher[PATH_MAX + 32], path[PATH_MAX], use[PATH_MAX];
    int first, second = 0;

    lc_line_signals_take(&callers);
    int rc = lc_cli_parse(&cli, argc, argv, &first, &err);
    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc == 0 && first == argc)
        rc = lc_error_set(&err, "no image given; try: loadcast exec app.lcast -- python3 app.py");
    const char *image = rc == 0 ? argv[first] : NULL;
    if (rc == 0) /* options may also follow the image */
        rc = lc_cli_parse(&cli, argc - first, argv + first, &second, &err);
    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    char **command = argv + first + second;
    if (rc == 0 && !*command)
        rc = lc_error_set(&err, "no command given; try: loadcast exec %s -- python3 app.py", image);
    if (rc == 0)
        rc = verifying_choose(&err);
    if (rc < 0)
        return lc_cli_fail(&cli, LC_EXIT_SELF, &err);
    if (client_is_off())
        return run_without_client(command);
    if (opt.verify)
        setenv(LC_BIND_VARIABLE, "verify", 1);
    if (strcmp(opt.prune, "off") == 0)
        setenv(LC_PRUNE_VARIABLE, "off", 1);
    const char *given = image;
    if (!opt.no_check && strlen(image) < sizeof(use)) {
        strcpy(use, image);
        lc_exec_check(image, opt.quiet, use);
        image = use;
    }
    if (node_prepare(image, command[0], &node, origin, &err) < 0)
        return failure_report(&err, command);
    if (!opt.strict && lc_exec_suspect(given, node.live, opt.quiet)) {
        lc_nodedir_close(&node);
        return run_without_client(command);
    }
    launcher_path(launcher, sizeof(launcher), &node, origin);
    if (opt.stats || opt.verify)
        return run_and_tell(launcher, &node, image, command);
    strcpy(path, node.path);
    lc_nodedir_close(&node);
    return launcher_execute(launcher, path, command);
}
