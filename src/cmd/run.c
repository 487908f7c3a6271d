/* SPDX-License-Identifier: MIT */
/* run.c - loadcast run: one word in front of a launch line */
#include "launch/job_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "image/image.h"
#include "node/bind_mode.h"
#include "node/format.h"
#include "record/check.h"
#include "stage/stage.h"
#include "stage/users.h"
#include "trace/guard.h"
#include "util/clock.h"
#include "util/human.h"

static struct {
    struct lc_cast_options cast;
    const char *image, *pilot, *wrap, *prune;
    struct lc_strings manage;
    double for_s;
    bool record, dry_run, stats, strict, keep, quiet;
} opt = {.cast = LC_CAST_DEFAULTS, .wrap = "auto", .prune = "auto", .for_s = 60};

static const char *const wraps[] = {"auto", "always", "never", NULL};
static const char *const prunes[] = {"auto", "off", NULL};

static const struct lc_opt options[] = {
    {0, "image", LC_OPT_STRING, &opt.image, "IMAGE",
     "the image; else $LOADCAST_IMAGE, else app.lcast for 'python app.py', prog.lcast for "
     "'./prog'"},
    {0, "dry-run", LC_OPT_FLAG, &opt.dry_run, NULL,
     "print every step as a command for a job script, run nothing"},
    {0, "stats", LC_OPT_FLAG, &opt.stats, NULL,
     "at the end: time of check, stage and launch line, operations saved, what was not answered"},
    {0, "strict", LC_OPT_FLAG, &opt.strict, NULL,
     "if the image cannot be used, fail instead of running without it"},
    {0, "keep", LC_OPT_FLAG, &opt.keep, NULL,
     "outside a scheduler's job: leave the image in the nodes' memory"},
    {0, "wrap", LC_OPT_CHOICE, &opt.wrap, "WHEN",
     "put the staged launcher before the program: if that lies in the image (auto), always, never",
     .choices = wraps},
    {0, "prune", LC_OPT_CHOICE, &opt.prune, "WHEN",
     "hide needed names from ld.so where that is known to change nothing (auto), or never (off)",
     .choices = prunes},
    {'q', "quiet", LC_OPT_FLAG, &opt.quiet, NULL, "say nothing that is no failure"},
    {0, NULL, LC_OPT_HEADING, NULL, NULL, "Without an image"},
    {0, "record", LC_OPT_FLAG, &opt.record, NULL, "record it first, in a pilot with one task"},
    {0, "pilot", LC_OPT_STRING, &opt.pilot, "LINE", "the pilot's own launch line: 'srun -n 1 ...'"},
    {0, "for", LC_OPT_SECONDS, &opt.for_s, "TIME",
     "end the pilot after TIME, or sooner when it has loaded nothing new for 10 s", 0.01, 1e7},
    {0, "manage", LC_OPT_STRINGS, &opt.manage, "PREFIX",
     "record what lies below PREFIX, whatever file system it is on (may be repeated)"},
    {0, NULL, LC_OPT_HEADING, NULL, NULL, "Staging"},
    LC_CAST_OPTIONS(opt.cast),
    {0},
};

static const struct lc_cli cli = {
    .name = "loadcast run",
    .usage = "[options] -- LAUNCH LINE",
    .summary = "Check, stage and run a launch line with the client in every rank.",
    .notes =
        "LOADCAST=0 in the environment runs the line as if Loadcast were not there.\n"
        "Exit status: the launch line's own; 125 if run itself failed, 126 if the launcher cannot\n"
        "be executed, 127 if it does not exist.\n",
    .opts = options,
    .stop_at_word = true,
    .example = "loadcast run -- srun -n 4 python3 app.py",
};

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
    va_list args;

    if (opt.quiet)
        return;
    va_start(args, format);
    fputs("loadcast run: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

static bool is_off(void)
{
    const char *off = getenv(LC_NODE_OFF);

    return off && strcmp(off, "0") == 0;
}

/* --dry-run: what would run is the line itself. */
static int print_plain_line(char **argv)
{
    struct lc_buf text = {0};

    lc_words_quote(&text, argv);
    printf("%s\n", lc_buf_text(&text));
    lc_buf_free(&text);
    return LC_EXIT_OK;
}

/* The line as if we were not there. */
static int run_plainly(char **argv)
{
    struct lc_error err;

    if (opt.dry_run)
        return print_plain_line(argv);
    lc_run_give_signals_back();
    execvp(argv[0], argv);
    int code = lc_exit_of_start(errno);
    lc_error_errno(&err, "cannot execute '%s'", argv[0]);
    return lc_cli_fail(&cli, code, &err);
}

static bool is_in_job(void)
{
    char job[64];

    lc_users_job(job, sizeof(job));
    return job[0];
}

/* Will no later run of this job want it? */
static bool cleans(void)
{
    return !opt.keep && !is_in_job();
}

/* A signal does not end it: the guard goes on. */
static void clean_nodes(const struct lc_run *run)
{
    struct lc_cast_report report = {0};
    struct lc_error err;

    lc_cast_end(&run->cast, false, false, true, &report, &err);
    if (report.signal)
        lc_run_guard_leave(run);
    lc_cast_report_free(&report);
}

/* Nobody will use what some nodes may have. */
static void take_back(struct lc_run *run)
{
    if (lc_run_share_is_last() && run->is_staged && cleans())
        clean_nodes(run);
    if (run->is_overlay && cleans())
        unlink(run->use);
    lc_run_share_end();
    lc_run_guard_end();
}

static int give_up(struct lc_run *run, const struct lc_error *err)
{
    take_back(run);
    if (opt.strict)
        lc_cli_fail(&cli, LC_EXIT_SELF, err);
    else
        fprintf(stderr, "loadcast run: %s; %s without it\n", err->text,
                opt.dry_run ? "the line would run" : "running");
    lc_cast_print_said(&run->staged);
    if (opt.strict)
        return LC_EXIT_SELF;
    return run_plainly(run->argv);
}

static int no_image(char *image, struct lc_error *err)
{
    struct lc_buf quoted = {0};

    lc_words_quote(&quoted, (char *[]){image, NULL});
    lc_error_set(err,
                 "no image '%s'; make it once with: loadcast run --record --image %s -- ..., "
                 "or name another by --image",
                 image, lc_buf_text(&quoted));
    lc_buf_free(&quoted);
    return -1;
}

static int find_image(struct lc_run *run, struct lc_error *err)
{
    const struct lc_run_pilot how = {opt.pilot, opt.for_s, &opt.manage, opt.dry_run};

    if (lc_run_name_image(run, opt.image, err) < 0)
        return -1;
    if (access(run->image, R_OK) == 0)
        return 0;
    if (errno == ENOENT && opt.record)
        return lc_run_record(run, &how, &run->asked, err);
    if (errno != ENOENT)
        return lc_error_errno(err, "cannot read image '%s'", run->image);
    return no_image(run->image, err);
}

/* An earlier run of this job may have found that the first directory cannot be used. */
static bool recall(struct lc_run *run)
{
    const char *dir = run->cast.dir;

    if (lc_run_recall(run, &run->was_staged))
        return true;
    if (opt.cast.dir)
        return false;
    run->cast.dir = LC_CAST_OTHER_DIR;
    if (lc_run_recall(run, &run->was_staged) && run->was_staged)
        return true;
    run->cast.dir = dir;
    return false;
}

static int check(struct lc_run *run, struct lc_error *err)
{
    char overlay[PATH_MAX];
    struct lc_check how = {.jobs = 32};
    struct lc_checked did = {0};
    uint64_t began = lc_clock_ns();

    if (opt.dry_run) {
        snprintf(run->use, sizeof(run->use), "%s", run->image);
        return access(run->use, R_OK) < 0 ? 0 : lc_image_id(run->use, &run->cast.id, err);
    }
    if (recall(run))
        return 0;
    if (run->line.launcher != LC_LAUNCHER_NONE && lc_run_name_overlay(run, overlay))
        how.overlay = overlay;
    int rc = lc_check_image(run->image, &how, &did, err), saved = errno;
    if (rc == 0) {
        snprintf(run->use, sizeof(run->use), "%s", did.wrote[0] ? did.wrote : run->image);
        if (did.events > 0)
            say("%s of %s entries changed since '%s' was recorded; mended",
                lc_human_count(did.events).s, lc_human_count(did.entries).s, run->image);
    }
    run->entries = did.entries;
    run->is_overlay = rc == 0 && did.is_overlay && did.events > 0;
    lc_checked_free(&did);
    if (rc == 0)
        rc = lc_image_id(run->use, &run->cast.id, err);
    run->has_checked = true;
    run->check_s = (double)(lc_clock_ns() - began) / 1e9;
    errno = saved;
    return rc;
}

/* Can the nodes be known before the line starts? Not where srun allocates them itself. */
static bool stages_itself(const struct lc_run *run)
{
    return run->line.launcher == LC_LAUNCHER_SRUN && !run->cast.with &&
           lc_compose_slurm_nodes() == 0;
}

static void tell_dropped(const struct lc_run *run)
{
    char node[LC_CAST_PATH];
    const char *by =
        run->line.dropped_by < 0 ? "SLURM_EXPORT_ENV" : run->argv[run->line.dropped_by];

    lc_cast_node(node, run->cast.dir, run->cast.id);
    fprintf(stderr,
            "loadcast run: '%s' drops the environment, so Loadcast does not reach the program; put "
            "the staged launcher before it: --wrap always, or %s/bin/launch PROGRAM where the "
            "program stands\n",
            by, node);
}

/* What an earlier run staged need not be looked at if the line before each rank does that. */
static int stage(struct lc_run *run, enum lc_wrap wrap, struct lc_error *err)
{
    run->unseen = run->was_staged;
    if (run->was_staged && lc_run_wants_front(run, wrap)) {
        run->is_staged = true;
        return 0;
    }
    run->was_staged = run->unseen = false;
    if (!is_in_job())
        lc_run_share_begin(run);
    if (!opt.keep)
        lc_run_guard_begin(run, opt.cast.dir ? NULL : LC_CAST_OTHER_DIR);
    int rc = lc_cast_stage_anywhere(&run->cast, &run->staged, opt.cast.dir, err);
    run->is_staged = rc == 0;
    if (rc < 0)
        return -1;
    run->cast.plain_shell = run->staged.plain_shell;
    if (!opt.quiet)
        lc_cast_print("loadcast run", &run->staged);
    lc_cast_print_failed("loadcast run", &run->staged);
    lc_cast_print_said(&run->staged);
    lc_buf_clear(&run->staged.said);
    return 0;
}

static int prepare(struct lc_run *run, struct lc_error *err)
{
    enum lc_wrap wrap = strcmp(opt.wrap, "always") == 0  ? LC_WRAP_ALWAYS
                        : strcmp(opt.wrap, "never") == 0 ? LC_WRAP_NEVER
                                                         : LC_WRAP_AUTO;

    if (strcmp(opt.prune, "off") == 0)
        setenv(LC_PRUNE_VARIABLE, "off", 1);
    run->cast.image = run->use;
    run->cast.line = &run->line;
    if (!run->line.understood)
        say("'%s': %s; variables are carried to its ranks, nothing else is touched",
            run->argv[run->line.at], run->line.why);
    if (stages_itself(run)) {
        if (lc_run_compose_self(run, opt.dry_run, err) < 0)
            return -1;
        say("outside an allocation: the first rank on each node stages '%s'", run->use);
        return 0;
    }
    run->unseen = opt.dry_run;
    if (!opt.dry_run && stage(run, wrap, err) < 0)
        return -1;
    if (lc_run_compose(run, wrap, err) < 0)
        return -1;
    if (!opt.dry_run)
        lc_run_add_shims(run, opt.cast.dir, &run->ranks.environment);
    if (run->line.drops_environment && !run->fronted)
        tell_dropped(run);
    if (!opt.dry_run)
        lc_run_remember(run);
    return 0;
}

/* Counters, and out of the nodes' memory if no later run of this job will want it. */
static void end(struct lc_run *run, int status)
{
    bool interrupted = run->asked || WIFSIGNALED(status) ||
                       (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGINT);
    bool is_over = interrupted || cleans(), clean = lc_run_share_is_last() && is_over;
    struct lc_cast_report report = {0};
    struct lc_error err;
    uint64_t began = lc_clock_ns();

    if (run->is_staged && (clean || opt.stats) &&
        lc_cast_end(&run->cast, opt.stats, false, clean, &report, &err) < 0)
        say("%s; clean by: loadcast clean", err.text);
    if (report.signal && clean)
        lc_run_guard_leave(run);
    if (!interrupted && lc_run_is_unused(run, &report, &err))
        say("%s", err.text);
    run->end_s = (double)(lc_clock_ns() - began) / 1e9;
    if (opt.stats)
        lc_run_print_stats(run, report.nodes ? &report : NULL);
    lc_cast_report_free(&run->before);
    lc_run_share_end();
    if (is_over && run->is_overlay)
        unlink(run->use);
    if (clean && run->is_staged && is_in_job()) {
        run->is_staged = false;
        lc_run_remember(run);
    }
    lc_cast_report_free(&report);
}

/* Nodes that had the image already have counted for others: see how far, to tell of this line. */
static void count_before(struct lc_run *run)
{
    bool had_it = run->was_staged || run->staged.fresh < run->staged.ok;
    struct lc_error err;

    if (opt.stats && run->is_staged && had_it)
        lc_cast_end(&run->cast, true, false, false, &run->before, &err);
}

static int run_line(struct lc_run *run)
{
    struct lc_error err;

    count_before(run);
    uint64_t began = lc_clock_ns();
    if (!opt.keep && run->is_staged)
        lc_run_guard_begin(run, NULL);
    int status =
        lc_run_child(run->ranks.words.item, run->ranks.environment.item, true, &run->asked, &err);

    if (status < 0)
        return lc_cli_fail(&cli, LC_EXIT_SELF, &err);
    run->launch_s = (double)(lc_clock_ns() - began) / 1e9;
    end(run, status);
    lc_run_guard_end();
    fflush(stderr);
    lc_guard_end_as(status);
}

/* Some nodes may have had all of it already. */
_Noreturn static void end_by_signal(struct lc_run *run)
{
    if (lc_run_share_is_last())
        clean_nodes(run);
    if (run->is_overlay)
        unlink(run->use);
    lc_run_share_end();
    lc_run_guard_end();
    lc_guard_end_as(run->staged.signal);
}

static int run_all(struct lc_run *run)
{
    struct lc_error err;

    lc_line_parse(&run->line, run->argv, NULL);
    if (lc_stage_origin(run->origin, sizeof(run->origin), &err) < 0)
        return give_up(run, &err);
    if (lc_cast_from_options(&run->cast, &opt.cast, run->origin, &err) < 0)
        return give_up(run, &err);
    if (!opt.quiet)
        lc_cast_show_progress(&run->cast);
    int rc = find_image(run, &err);
    if (run->asked)
        lc_guard_end_as(run->asked);
    if (rc < 0)
        return give_up(run, &err);
    if (check(run, &err) < 0 || prepare(run, &err) < 0) {
        if (run->staged.signal)
            end_by_signal(run);
        return give_up(run, &err);
    }
    if (opt.dry_run) {
        lc_run_print(run, cleans());
        return LC_EXIT_OK;
    }
    return run_line(run);
}

/* What a run within the line is to do as this one. */
static void name_flags(struct lc_run *run)
{
    snprintf(run->flags, sizeof(run->flags), "--wrap=%s%s%s%s%s", opt.wrap,
             opt.stats ? " --stats" : "", opt.strict ? " --strict" : "", opt.keep ? " --keep" : "",
             opt.quiet ? " --quiet" : "");
}

int lc_cmd_run(int argc, char **argv)
{
    static struct lc_run run;
    struct lc_error err;
    int first, rc = lc_cli_parse(&cli, argc, argv, &first, &err);

    if (rc == LC_CLI_DONE)
        return LC_EXIT_OK;
    if (rc == 0 && first == argc)
        rc = lc_error_set(&err,
                          "no launch line given; try: loadcast run -- srun -n 4 python3 app.py");
    if (rc < 0)
        return lc_cli_fail(&cli, LC_EXIT_SELF, &err);
    run.argv = argv + first;
    lc_run_leave_outer();
    name_flags(&run);
    if (is_off())
        return run_plainly(run.argv);
    lc_run_take_signals();
    return run_all(&run);
}
