/* SPDX-License-Identifier: MIT */
/* record.c - loadcast record: run a program once and store the files it asked for in an image */
#include "cmd/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "image/image.h"
#include "record/provenance.h"
#include "record/ranks.h"
#include "trace/guard.h"
#include "util/clock.h"
#include "util/json.h"
#include "util/output.h"
#include "util/path.h"
#include "util/process.h"

static struct {
    const char *output, *from_trace;
    struct lc_strings manage, add, exclude;
    double for_s, settle_s, max_file, wait_s;
    bool end, take_private, no_pyc, no_bindings, no_ptrace, verbose;
} opt = {.max_file = 256e6, .wait_s = 60};

static const struct lc_opt options[] = {
    {'o', "output", LC_OPT_STRING, &opt.output, "IMAGE",
     "the image to write, else one in your store; one that exists is checked and added to"},
    {0, "manage", LC_OPT_STRINGS, &opt.manage, "PREFIX",
     "record what lies below PREFIX, whatever file system it is on (may be repeated)"},
    {0, "add", LC_OPT_STRINGS, &opt.add, "PATH|GLOB",
     "record this too, directories with all below them (may be repeated)"},
    {0, "exclude", LC_OPT_STRINGS, &opt.exclude, "GLOB",
     "leave out paths that match; '*' also matches '/' (may be repeated)"},
    {0, "private", LC_OPT_FLAG, &opt.take_private, NULL,
     "also pack credentials, and files outside software that only you may read"},
    {0, "max-file", LC_OPT_BYTES, &opt.max_file, "SIZE",
     "files above SIZE are known by their stat only; libraries always whole", 0, 1e18},
    {0, "for", LC_OPT_SECONDS, &opt.for_s, "TIME",
     "record for TIME (60s, 2min), write the image, let the program go on", 0.01, 1e7},
    {0, "settle", LC_OPT_SECONDS, &opt.settle_s, "TIME",
     "record until the program has asked for nothing new for TIME", 0.01, 1e7},
    {0, "end", LC_OPT_FLAG, &opt.end, NULL,
     "with --for or --settle: end the program then (SIGTERM, after 2 s SIGKILL); status 0"},
    {0, "from-trace", LC_OPT_STRING, &opt.from_trace, "LOG",
     "take what 'loadcast trace --log' wrote instead of running a program"},
    {0, "wait", LC_OPT_SECONDS, &opt.wait_s, "TIME",
     "several ranks: how long to wait for the parts of others", 0, 1e6},
    {0, "no-pyc", LC_OPT_FLAG, &opt.no_pyc, NULL, "compile no Python modules into the image"},
    {0, "no-bindings", LC_OPT_FLAG, &opt.no_bindings, NULL,
     "do not record which symbols bind to what, for 'exec' to replay"},
    {0, "no-ptrace", LC_OPT_FLAG, &opt.no_ptrace, NULL,
     "watch the program from inside only, as is done where ptrace is forbidden"},
    {'v', "verbose", LC_OPT_FLAG, &opt.verbose, NULL, "name every file that was left out"},
    {0},
};

static const struct lc_cli cli = {
    .name = "loadcast record",
    .usage = "[-o IMAGE] [options] -- CMD [ARG...]",
    .summary = "Run a program once and keep everything it asked of the shared file systems.",
    .notes =
        "Exit status: the command's own; 125 if no image was written although the command\n"
        "succeeded, 126 if the command cannot be executed, 127 if it does not exist. Example:\n"
        "mpiexec -n 4 loadcast record -o app.lcast -- python3 app.py",
    .opts = options,
    .stop_at_word = true,
};

/* What the keeper (trace/guard.h) needs. */
struct job {
    struct lc_pilot pilot;
    struct lc_seen seen;
    struct lc_ranks ranks;
    struct lc_record record;
    struct lc_record_store store;
    bool has_failed;
    uint64_t alive_ns;
};

static void on_alive(void *arg)
{
    struct job *job = arg;

    if (job->ranks.size > 1 && lc_clock_ns() - job->alive_ns > 2000000000u) {
        job->alive_ns = lc_clock_ns();
        lc_ranks_heartbeat(&job->ranks);
    }
}

static void on_skipped(void *arg, const char *path, const char *why)
{
    (void)arg;
    if (opt.verbose)
        lc_record_say("left out '%s': %s", path, why);
}

/* Write the image from what 'seen' holds, and print a summary. */
static void image_pack(struct job *job, struct lc_seen *seen)
{
    struct lc_recorded did;
    struct lc_error err;
    uint64_t start = lc_clock_ns();

    lc_output_ignore_sigxfsz();
    int rc = lc_record_image(&job->record, seen, &did, &err);

    if (rc == 0)
        lc_record_store_keep(&job->store, did.is_empty);
    if (rc == 0 && did.is_empty)
        lc_record_tell_nothing(&did);
    else if (rc == 0)
        rc = lc_record_tell(&job->record, &did, (double)(lc_clock_ns() - start) / 1e9, opt.verbose,
                            &err);
    if (rc < 0)
        lc_record_say("%s", err.text);
    if (did.not_added > 0)
        lc_record_say("%s; %s not added", did.why_not.text,
                      did.not_added == 1 ? "it was" : "it and others were");
    job->has_failed = rc < 0 || did.is_empty || did.not_added > 0;
    lc_recorded_free(&did);
}

/* With several ranks: each leaves its part, and the one whose turn it is packs all parts. */
static void image_pack_with_ranks(struct job *job)
{
    struct lc_seen all = {0};
    struct lc_error err;

    if (lc_ranks_leave_part(&job->ranks, opt.output, &job->seen, &err) < 0) {
        lc_record_say("rank %ld: %s", job->ranks.rank, err.text);
        job->has_failed = true;
        return;
    }
    if (lc_ranks_wait(&job->ranks) == LC_RANKS_DONE)
        return;
    if (lc_ranks_unite(&job->ranks, &all, &err) < 0) {
        lc_record_say("rank %ld: %s", job->ranks.rank, err.text);
        job->has_failed = true;
    } else {
        if (job->ranks.taken < job->ranks.size)
            lc_record_say("parts of %ld of %ld ranks came; the others' are missing",
                          job->ranks.taken, job->ranks.size);
        image_pack(job, &all);
        lc_ranks_finish(&job->ranks);
    }
    lc_seen_free(&all);
}

static void calls_take(struct job *job)
{
    struct lc_error err;

    if (lc_pilot_take_calls(&job->pilot, &err) < 0)
        lc_record_say("%s; the image holds what stands before it", err.text);
    if (job->pilot.no_ptrace && job->seen.events == 0)
        lc_record_say(
            "the program told nothing of itself: it is static, set-user-ID, or chose its own "
            "environment");
}

static void pilot_pack(struct job *job)
{
    calls_take(job);
    lc_pilot_take_searches(&job->pilot);
    if (job->ranks.size > 1)
        image_pack_with_ranks(job);
    else
        image_pack(job, &job->seen);
}

/* The exit status of the program. If recording ended before the program, wait for the program. */
static int wait_for_program(struct job *job)
{
    struct lc_trace_outcome *o = &job->pilot.outcome;

    if (o->was_ended)
        return 0;
    if (o->is_running) {
        lc_record_say("the program goes on by itself");
        return lc_pilot_wait(&job->pilot);
    }
    return o->status;
}

static void job_free(struct job *job)
{
    lc_seen_free(&job->seen);
    json_decref(job->record.provenance);
    lc_store_key_free(&job->store.key);
}

static void keeper_run(void *arg, lc_guard_done done)
{
    struct job *job = arg;
    struct lc_error err;
    int status;

    job->pilot.group = lc_guard_group();
    if (lc_record_run_pilot(&job->pilot, &err) < 0) {
        status = lc_exit_of_start(errno) << 8;
        lc_cli_fail(&cli, 0, &err);
        lc_pilot_clear(&job->pilot);
    } else {
        lc_record_tell_outcome(&job->pilot.outcome, job->pilot.settle_s);
        pilot_pack(job);
        status = wait_for_program(job);
        if (status == 0 && job->has_failed)
            status = LC_EXIT_SELF << 8;
    }
    job_free(job);
    done(status, lc_trace_has_more());
    lc_process_leave_streams();
    lc_trace_linger();
}

/* Record without a program: from a log, or from paths that the user names. */
static int record_without_program(struct job *job)
{
    struct lc_error err;

    if (opt.from_trace && lc_seen_read_log(&job->seen, opt.from_trace, &err) < 0) {
        job_free(job);
        return lc_cli_fail(&cli, LC_EXIT_FAILED, &err);
    }
    image_pack(job, &job->seen);
    job_free(job);
    return job->has_failed ? LC_EXIT_FAILED : LC_EXIT_OK;
}

/* Check before the run: a target that cannot be written or a mistyped prefix should not be found
 * after an hour's run. */
static int check_prefixes(struct lc_error *err)
{
    for (size_t i = 0; i < opt.manage.count; i++)
        if (access(opt.manage.item[i], F_OK) < 0)
            return lc_error_errno(err, "--manage '%s'", opt.manage.item[i]);
    return 0;
}

/* Without -o the image goes to the store. 'loadcast run --record' names the file there. */
static int choose_output(struct job *job, char **argv, struct lc_error *err)
{
    if (opt.output && argv[0])
        lc_record_store_recognize(&job->store, opt.output, argv);
    if (opt.output)
        return 0;
    opt.output = job->store.image;
    return lc_record_store_choose(&job->store, argv, err);
}

static int check_target(struct lc_error *err)
{
    size_t n = lc_path_dir_len(opt.output);
    char *dir = n ? strndup(opt.output, n) : strdup(".");
    int rc = dir ? access(dir, W_OK | X_OK) : -1;

    free(dir);
    if (rc < 0)
        return lc_error_errno(err, "cannot write '%s'", opt.output);
    struct lc_image *old = access(opt.output, F_OK) == 0 ? lc_image_open(opt.output, err) : NULL;
    if (!old && access(opt.output, F_OK) == 0)
        return -1;
    lc_image_close(old);
    return 0;
}

static void job_prepare(struct job *job, char **argv, bool has_program)
{
    job->record = (struct lc_record){.file = opt.output,
                                     .manage = &opt.manage,
                                     .exclude = &opt.exclude,
                                     .add = &opt.add,
                                     .max_file = opt.max_file,
                                     .compile = !opt.no_pyc,
                                     .take_private = opt.take_private,
                                     .argv = has_program ? argv : NULL,
                                     .provenance = lc_json_provenance("loadcast record", argv),
                                     .alive = on_alive,
                                     .skipped = on_skipped,
                                     .arg = job};
    job->pilot = (struct lc_pilot){.argv = argv,
                                   .for_s = opt.for_s,
                                   .settle_s = opt.settle_s,
                                   .ends_program = opt.end,
                                   .waiting = lc_record_tell_waiting,
                                   .arg = job,
                                   .seen = &job->seen,
                                   .no_bindings = opt.no_bindings,
                                   .no_ptrace = opt.no_ptrace};
    lc_provenance_add_system(job->record.provenance);
    lc_ranks_detect(&job->ranks);
    job->ranks.patience_s = opt.wait_s;
}

static int check_usage(bool has_program, struct lc_error *err)
{
    if (!opt.output && !has_program)
        return lc_error_set(err, "which image? give -o IMAGE");
    if (!has_program && !opt.from_trace && opt.add.count == 0)
        return lc_error_set(
            err, "no command given; try: loadcast record -o app.lcast -- python3 app.py");
    if (has_program && opt.from_trace)
        return lc_error_set(err, "--from-trace takes no command");
    if (!has_program && (opt.for_s > 0 || opt.settle_s > 0))
        return lc_error_set(err, "--for and --settle need a command");
    if (opt.end && opt.for_s <= 0 && opt.settle_s <= 0)
        return lc_error_set(err, "--end needs --for or --settle, which say when");
    return 0;
}

int lc_cmd_record(int argc, char **argv)
{
    struct job job = {0};
    struct lc_error err;
    int first, rc = lc_cli_parse(&cli, argc, argv, &first, &err);
    bool has_program = rc == 0 && first < argc;

    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc < 0 || check_usage(has_program, &err) < 0 || check_prefixes(&err) < 0 ||
        choose_output(&job, argv + first, &err) < 0 || check_target(&err) < 0) {
        lc_store_key_free(&job.store.key);
        return lc_cli_fail(&cli, LC_EXIT_SELF, &err);
    }
    job_prepare(&job, argv + first, has_program);
    if (!has_program)
        return record_without_program(&job);
    int status = lc_guard_run(keeper_run, &job, &err);
    job_free(&job); /* the keeper frees its own copy */
    if (status < 0)
        return lc_cli_fail(&cli, LC_EXIT_SELF, &err);
    lc_process_end_as(status);
}
