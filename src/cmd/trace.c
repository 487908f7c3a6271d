/* SPDX-License-Identifier: MIT */
/* trace.c - loadcast trace: which requests does a command make to the file system? */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/trace_view.h"
#include "predict/predict.h"
#include "trace/calls.h"
#include "trace/guard.h"
#include "trace/log.h"
#include "trace/summary.h"
#include "trace/trace.h"
#include "util/cli.h"
#include "util/human.h"
#include "util/trusted_open.h"
#include "util/json.h"
#include "util/path.h"
#include "util/process.h"

static struct {
    const char *ranks, *machine;
    double server_rate;
    const char *json, *log, *output, *under;
    double for_s;
    bool calls;
} opt = {
    .ranks = "1,24,1024,24000",
    .machine = "sierra-lustre",
};

static const struct lc_opt options[] = {
    {'o', "output", LC_OPT_STRING, &opt.output, "FILE",
     "write the table to FILE instead of standard output"},
    {0, "json", LC_OPT_STRING, &opt.json, "FILE",
     "write every figure as JSON; '-' for standard output, which then carries nothing else: the "
     "program's own goes to standard error"},
    {0, "log", LC_OPT_STRING, &opt.log, "FILE", "write each call in order, one per line"},
    {0, "under", LC_OPT_STRING, &opt.under, "PATH", "count only what lies below PATH"},
    {0, "for", LC_OPT_SECONDS, &opt.for_s, "TIME",
     "let go of the program after TIME (60s, 2min); it goes on, and the table covers what was seen",
     0.01, 1e7},
    {0, "ranks", LC_OPT_STRING, &opt.ranks, "LIST", "extrapolate to these numbers of ranks"},
    {0, "machine", LC_OPT_STRING, &opt.machine, "NAME",
     "extrapolate to this machine, see loadcast-predict(1)"},
    {0, "server-rate", LC_OPT_DOUBLE, &opt.server_rate, "N",
     "extrapolate to a server that answers N requests per second instead; nothing else limits the "
     "job; 0: to the machine",
     0, 1e9},
    {0, "calls", LC_OPT_FLAG, &opt.calls, NULL, "list the system calls that are counted, and stop"},
    {0},
};

static const struct lc_cli cli = {
    .name = "loadcast trace",
    .usage = "[options] -- CMD [ARG...]",
    .summary = "What does a command ask of the file system? Runs it and counts every call.",
    .notes =
        "Exit status: the command's own; 125 if trace failed, 126 if the command cannot be\n"
        "executed, 127 if it does not exist. Example: loadcast trace -- python3 -c 'import numpy'",
    .opts = options,
    .stop_at_word = true,
};

/* What the keeper (trace/guard.h) needs. */
struct job {
    char **argv;    /* of the program */
    char **command; /* the whole command line */
    struct lc_trace_view view;
    FILE *log;
    FILE *table;     /* where the table goes; NULL: nowhere */
    int program_out; /* standard output of the program */
};

static void on_event(void *arg, const struct lc_trace_event *event)
{
    struct job *job = arg;

    lc_summary_add(&job->view.summary, event);
    if (job->log)
        lc_trace_log_event(job->log, event);
}

static void on_waiting(void *arg, unsigned processes)
{
    (void)arg;
    fprintf(stderr,
            "loadcast trace: the program has ended; still following %u thread%s it left behind "
            "(Ctrl-C: report now and leave them alone)\n",
            processes, processes == 1 ? "" : "s");
}

/* Write the results. A failure of our own output is printed and does not change the program's exit
 * status. */
static void write_results(struct job *job)
{
    struct lc_error err;

    if (job->log && (fflush(job->log) || ferror(job->log)))
        fprintf(stderr, "loadcast trace: the log '%s' is incomplete: %s\n", opt.log,
                strerror(errno));
    if (job->table) {
        lc_trace_print(&job->view, job->table);
        if (fflush(job->table) || ferror(job->table))
            fprintf(stderr, "loadcast trace: cannot write the table: %s\n", strerror(errno));
    }
    if (opt.json && lc_trace_write_json(&job->view, job->command, opt.json, &err) < 0)
        fprintf(stderr, "loadcast trace: %s\n", err.text);
}

static void job_free(struct job *job)
{
    if (job->log)
        fclose(job->log);
    lc_summary_end(&job->view.summary);
    free(job->view.ranks);
}

static void keeper_run(void *arg, lc_guard_done done)
{
    struct job *job = arg;
    struct lc_trace_options options_of_run = {
        .for_s = opt.for_s, .group = lc_guard_group(), .waiting = on_waiting};
    struct lc_error err;
    int status;

    if (lc_trace_run(&options_of_run, job->argv, job->program_out, on_event, job,
                     &job->view.outcome, &err) < 0) {
        status = lc_exit_of_start(errno) << 8;
        lc_cli_fail(&cli, 0, &err);
    } else {
        write_results(job);
        status = job->view.outcome.is_running ? lc_trace_wait() : job->view.outcome.status;
    }
    job_free(job);
    done(status, lc_trace_has_more());
    lc_process_leave_streams();
    lc_trace_linger();
}

/* Count requests below this directory, by the path as given and by its real path. */
static int prefix_choose(struct lc_summary *sum, struct lc_error *err)
{
    static char clean[PATH_MAX], real[PATH_MAX];
    char cwd[PATH_MAX];

    if (!opt.under)
        return 0;
    if ((opt.under[0] != '/' && !getcwd(cwd, sizeof(cwd))) ||
        lc_path_absolute(clean, sizeof(clean), cwd, opt.under) < 0 || !realpath(opt.under, real))
        return lc_error_errno(err, "--under '%s'", opt.under);
    sum->under[0] = clean;
    sum->under[1] = real;
    return 0;
}

static int outputs_open(FILE **out, const char *file, const char *what, struct lc_error *err)
{
    return file && !(*out = lc_trusted_open(file, what, err)) ? -1 : 0;
}

/* Check before the run: a target that cannot be written should not be found after an hour's run. A
 * regular file is replaced, so its directory must be writable; anything else is written to
 * directly. */
static int check_json_target(struct lc_error *err)
{
    struct stat st;
    int rc;

    if (!opt.json || strcmp(opt.json, "-") == 0)
        return 0;
    if (stat(opt.json, &st) == 0 && !S_ISREG(st.st_mode)) {
        rc = S_ISDIR(st.st_mode) ? (errno = EISDIR, -1) : access(opt.json, W_OK);
    } else {
        size_t n = lc_path_dir_len(opt.json);
        char *dir = n ? strndup(opt.json, n) : strdup(".");
        rc = dir ? access(dir, W_OK) : -1;
        free(dir);
    }
    return rc < 0 ? lc_error_errno(err, "cannot write JSON to '%s'", opt.json) : 0;
}

/* No two outputs may go to the same place. */
static int check_outputs(struct lc_error *err)
{
    if (opt.log && strcmp(opt.log, "-") == 0)
        return lc_error_set(err, "--log needs a file: standard output is the program's; try "
                                 "--log /dev/stderr");
    if (opt.log && opt.output && strcmp(opt.log, opt.output) == 0)
        return lc_error_set(err, "--log and --output both name '%s'", opt.log);
    return check_json_target(err);
}

/* Without libyaml there are no presets: a server as fast as that of the default. */
static int machine_choose(struct lc_machine_model *machine, struct lc_error *err)
{
    const double sierra_per_s = 114000;

    if (opt.server_rate > 0)
        lc_machine_of_rate(machine, opt.server_rate);
    else if (lc_machine_load(machine, opt.machine, err) < 0 && errno == ENOSYS)
        lc_machine_of_rate(machine, sierra_per_s);
    else if (!machine->nodes)
        return -1;
    return 0;
}

static int job_prepare(struct job *job, struct lc_error *err)
{
    struct lc_trace_view *view = &job->view;
    bool json_on_stdout = opt.json && strcmp(opt.json, "-") == 0;

    job->table = json_on_stdout ? NULL : stdout;
    job->program_out = json_on_stdout ? STDERR_FILENO : STDOUT_FILENO;
    view->under = opt.under;
    view->argv = job->argv;
    errno = 0;
    if (machine_choose(&view->machine, err) < 0 ||
        lc_parse_long_list("--ranks", opt.ranks, 1, LC_PREDICT_MOST_RANKS, &view->ranks,
                           &view->rank_count, err) < 0 ||
        prefix_choose(&view->summary, err) < 0 || check_outputs(err) < 0 ||
        outputs_open(&job->log, opt.log, "write the log to ", err) < 0 ||
        outputs_open(&job->table, opt.output, "write the table to ", err) < 0)
        return -1;
    if (lc_summary_begin(&view->summary) < 0)
        return lc_error_errno(err, "cannot read the mount table");
    if (job->log)
        lc_trace_log_head(job->log, job->argv);
    return 0;
}

static int list_calls(void)
{
    size_t count;
    const struct lc_call *call = lc_call_table(&count);

    for (size_t i = 0; i < count; i++)
        if (call[i].kind != LC_TRACE_SILENT)
            printf("%-18s %-9s %s\n", call[i].name,
                   lc_trace_kind_name((enum lc_trace_kind)call[i].kind),
                   call[i].path == LC_CALL_NONE ? "descriptor" : "path");
    return LC_EXIT_OK;
}

int lc_cmd_trace(int argc, char **argv)
{
    struct job job = {.command = argv - 1};
    char program[PATH_MAX];
    struct lc_error err;
    int first;

    int rc = lc_cli_parse(&cli, argc, argv, &first, &err);
    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc == 0 && opt.calls)
        return list_calls();
    if (rc == 0 && first == argc)
        rc = lc_error_set(&err,
                          "no command given; try: loadcast trace -- python3 -c 'import numpy'");
    job.argv = argv + first;
    if (rc < 0)
        return lc_cli_fail(&cli, LC_EXIT_SELF, &err);
    /* Find the program before any file of the user is truncated. */
    if (lc_path_find_program(program, sizeof(program), job.argv[0], &err) < 0)
        return lc_cli_fail(&cli, lc_exit_of_start(errno), &err);
    if (job_prepare(&job, &err) < 0) {
        job_free(&job);
        return lc_cli_fail(&cli, LC_EXIT_SELF, &err);
    }
    int status = lc_guard_run(keeper_run, &job, &err);
    job_free(&job); /* the keeper frees its own copy */
    if (status >= 0)
        lc_process_end_as(status);
    lc_cli_fail(&cli, 0, &err);
    fprintf(stderr, opt.for_s > 0 ? "the program goes on without it\n"
                                  : "the program was ended with it, since its calls would fail\n");
    return LC_EXIT_SELF;
}
