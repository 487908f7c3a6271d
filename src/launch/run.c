/* SPDX-License-Identifier: MIT */
/* run.c - what 'loadcast run' does, step by step */
#include "launch/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/job_run.h"
#include "launch/line_key.h"
#include "launch/node_reports.h"
#include "node/parts.h"
#include "stage/stage.h"
#include "stage/users.h"
#include "util/clock.h"
#include "util/site_conf.h"

const char *const lc_wrap_names[] = {"auto", "always", "never", NULL};

static bool is_in_job(void)
{
    char job[64];

    lc_users_job(job, sizeof(job));
    return job[0];
}

/* Inside a job a later run may use what was staged: then only the job's end cleans. */
static bool run_cleans(const struct lc_job_run *run)
{
    return !run->options->keep && !is_in_job();
}

/* If a signal interrupts it, the guard cleans instead. */
static void clean_nodes(struct lc_job_run *run)
{
    struct lc_staging_report report = {0};
    struct lc_error err;

    lc_nodes_visit(&run->staging, false, false, true, &report, &err);
    if (report.signal)
        lc_cleanup_guard_leave(run);
    lc_staging_report_free(&report);
}

static void remove_overlay(const struct lc_job_run *run)
{
    if (run->is_overlay)
        unlink(run->use);
}

/* After a failure: remove what may be on some nodes, since the line runs without it. */
static void remove_staged(struct lc_job_run *run)
{
    if (lc_shared_use_is_last(&run->share) && run->is_staged && run_cleans(run))
        clean_nodes(run);
    if (run_cleans(run))
        remove_overlay(run);
    lc_shared_use_end(&run->share);
    lc_cleanup_guard_end(run);
}

static enum lc_run_ending give_up(struct lc_job_run *run, const struct lc_error *err)
{
    const struct lc_run_options *o = run->options;

    remove_staged(run);
    if (o->strict)
        lc_job_run_tell(run, LC_MESSAGE_WARNING, "%s", err->text);
    else
        lc_job_run_tell(run, LC_MESSAGE_WARNING, "%s; %s without it", err->text,
                        o->dry_run ? "the line would run" : "running");
    lc_staging_tell_said(&run->staged, &run->staging.messages);
    return o->strict ? LC_RUN_FAILED : LC_RUN_PLAINLY;
}

/* The line as it is, to see whether the program dies without Loadcast, too. */
static enum lc_run_ending run_plainly(struct lc_job_run *run, struct lc_run_outcome *outcome)
{
    struct lc_error err;

    if (run->suspect.state != LC_SUSPECT_TRYING)
        return LC_RUN_PLAINLY;
    outcome->status = lc_line_process_run(run, run->argv, NULL, true, &err);
    if (outcome->status < 0) {
        lc_job_run_tell(run, LC_MESSAGE_WARNING, "%s", err.text);
        return run->has_started ? LC_RUN_FAILED : LC_RUN_PLAINLY;
    }
    lc_suspect_parts_end(run, outcome->status, NULL);
    return LC_RUN_ENDED;
}

/* There is no image, and nobody has asked for one: no fault. */
static enum lc_run_ending run_without_image(struct lc_job_run *run, int found,
                                            const struct lc_error *why,
                                            struct lc_run_outcome *outcome)
{
    bool is_watched = found == LC_NO_IMAGE && run->options->watch > 0, is_plain = false;

    if (is_watched && run->is_described)
        lc_suspect_parts_begin(run, &is_plain);
    if (is_plain)
        return run_plainly(run, outcome);
    enum lc_run_ending end = is_watched ? lc_job_run_watch(run, outcome) : LC_RUN_FAILED;
    if (end != LC_RUN_FAILED)
        return end;
    if (found == LC_NO_IMAGE)
        lc_job_run_tell(run, LC_MESSAGE_NOTE, "%s", why->text);
    return LC_RUN_PLAINLY;
}

static void tell_dropped(const struct lc_job_run *run)
{
    char node[LC_STAGING_PATH];
    const char *by =
        run->line.dropped_by < 0 ? "SLURM_EXPORT_ENV" : run->argv[run->line.dropped_by];

    lc_staging_node_path(node, &run->staging);
    lc_job_run_tell(run, LC_MESSAGE_WARNING,
                    "'%s' drops the environment, so Loadcast does not reach the program; put the "
                    "staged launcher before it: --wrap always, or %s/bin/launch PROGRAM where the "
                    "program stands",
                    by, node);
}

static void tell_staged(struct lc_job_run *run)
{
    lc_staging_tell_summary(&run->staged, &run->staging.messages);
    lc_staging_tell_failed(&run->staged, &run->staging.messages);
    lc_staging_tell_said(&run->staged, &run->staging.messages);
    lc_buf_clear(&run->staged.said);
}

/* If an earlier run of the job has staged, no step is needed where each rank's prefix checks what
 * is on its node. On this machine it costs nothing to look. */
static int stage_image(struct lc_job_run *run, struct lc_error *err)
{
    bool is_here = run->staging.here, was_staged = run->was_staged;

    run->is_unseen = was_staged;
    if (was_staged && !is_here && lc_job_run_wants_prefix(run)) {
        run->is_staged = true;
        return 0;
    }
    run->was_staged = run->is_unseen = false;
    if (!is_in_job())
        lc_shared_use_begin(run);
    if (!run->options->keep)
        lc_cleanup_guard_begin(run, run->options->dir ? NULL : LC_STAGING_OTHER_DIR);
    int rc = lc_nodes_stage_anywhere(&run->staging, &run->staged, run->options->dir, err);
    run->is_staged = rc == 0;
    if (rc < 0)
        return -1;
    run->staging.plain_shell = run->staged.plain_shell;
    run->was_staged = was_staged && is_here && run->staged.fresh == 0;
    /* If the launcher starts ranks elsewhere after all, nobody has looked there. */
    run->is_unseen = is_here && run->line.launcher != LC_LAUNCHER_NONE;
    if (!run->was_staged)
        tell_staged(run);
    return 0;
}

/* Our own steps start without the directories that the image manages. */
static void clean_steps(struct lc_job_run *run)
{
    enum lc_launcher launcher = run->line.launcher;

    if (launcher == LC_LAUNCHER_NONE || run->staging.with || run->staging.clean ||
        run->options->dry_run)
        return;
    if (lc_mpi_step_find_helper(&run->staging, launcher, run->helper))
        run->staging.helper = run->helper; /* not to be looked for again */
    lc_step_environment_make(&run->clean, run->image, run->argv[run->line.at], run->staging.helper);
    run->staging.clean = &run->clean;
}

/* Who stages is chosen once more after the check, which may write another file. */
void lc_job_run_begin_staging(struct lc_job_run *run)
{
    struct lc_error ignored;

    snprintf(run->use, sizeof(run->use), "%s", run->image);
    if (lc_job_run_choose_stager(run, &ignored) < 0 || run->choice.who != LC_STAGE_BY_STEP)
        return;
    clean_steps(run);
    run->staging.image = run->use;
    run->staging.line = &run->line;
    run->staging.early = &run->early;
    lc_nodes_begin(&run->staging, &run->early);
}

/* Nobody knows the nodes that srun chooses outside an allocation: they cannot be asked afterwards.
 * With --stats, and for what ranks ask of an image that is new, the nodes are asked anyway, and
 * cleaned by the same step. */
static int compose_self(struct lc_job_run *run, struct lc_error *err)
{
    struct lc_buf text = {0};
    bool is_known = run->choice.nodes > 0;

    bool is_visited = is_known && (run->options->stats || lc_job_run_wants_misses(run));

    run->has_janitors = run_cleans(run) && !is_visited;
    if (lc_job_run_compose_self(run, err) < 0)
        return -1;
    run->is_staged = is_known;
    if (is_visited)
        clean_steps(run);
    lc_staging_choice_text(&run->choice, &text);
    lc_job_run_tell(run, LC_MESSAGE_NOTE, "%s", lc_buf_text(&text));
    lc_buf_free(&text);
    if (!run->options->dry_run)
        lc_job_note_write(run);
    return 0;
}

/* Stage, and compose run->ranks. */
static int prepare_ranks(struct lc_job_run *run, struct lc_error *err)
{
    const struct lc_run_options *o = run->options;

    if (o->no_prune)
        setenv(LC_PRUNE_VARIABLE, "off", 1);
    run->staging.image = run->use;
    run->staging.line = &run->line;
    if (!run->line.understood)
        lc_job_run_tell(run, LC_MESSAGE_NOTE,
                        "'%s': %s; variables are carried to its ranks, nothing else is touched",
                        run->argv[run->line.at], run->line.why);
    if (lc_job_run_choose_stager(run, err) < 0)
        return -1;
    if (run->choice.who != LC_STAGE_BY_STEP)
        lc_early_step_end(&run->early);
    else
        clean_steps(run);
    if (run->choice.who == LC_STAGE_BY_RANKS)
        return compose_self(run, err);
    run->staging.here = run->choice.who == LC_STAGE_HERE;
    run->is_unseen = o->dry_run;
    if (!o->dry_run && stage_image(run, err) < 0)
        return -1;
    if (lc_job_run_compose(run, err) < 0)
        return -1;
    if (!o->dry_run)
        lc_nested_add_shims(run, &run->ranks.environment);
    if (run->line.drops_environment && !run->has_prefix)
        tell_dropped(run);
    if (!o->dry_run)
        lc_job_note_write(run);
    return 0;
}

/* No node answers any more, as after scancel: remove the image from this machine at least. */
static void end_unanswered(struct lc_job_run *run, bool clean, const struct lc_error *why)
{
    lc_job_run_tell(run, LC_MESSAGE_NOTE, "%s%s", why->text,
                    clean ? "; what lies on this machine is removed, elsewhere remove it by: "
                            "loadcast clean"
                          : "");
    if (clean)
        lc_cleanup_guard_clean_here(run);
}

/* Is something to be learnt from a line after which nobody else comes to the nodes? */
static bool misses_are_wanted(struct lc_job_run *run)
{
    return !run_cleans(run) && !run->staging.here && lc_job_run_wants_misses(run);
}

/* Is the caller to wait until the nodes have answered after the line? Only if something depends on
 * it that is printed, or learnt. */
static bool answer_is_wanted(struct lc_job_run *run)
{
    const struct lc_run_options *o = run->options;

    return run->is_staged &&
           (misses_are_wanted(run) || o->stats || (!o->quiet && lc_job_run_may_be_unused(run)));
}

/* Does a process that the line has left behind still use what was staged here? Then the guard tries
 * again. */
static bool is_left_here(const struct lc_job_run *run, const struct lc_staging_report *report)
{
    return run->staging.here && lc_staging_report_find(report, "removed", false);
}

/* After the line: read the counters, and clean if no later run of this job will want the image. */
static void finish_line(struct lc_job_run *run, int status, struct lc_run_outcome *outcome)
{
    const struct lc_run_options *o = run->options;
    bool interrupted = run->asked || WIFSIGNALED(status) ||
                       (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGINT);
    bool is_over = interrupted || run_cleans(run);
    bool clean = lc_shared_use_is_last(&run->share) && is_over && !run->has_janitors;
    struct lc_staging_report report = {0};
    struct lc_error err;
    uint64_t began = lc_clock_ns();

    bool has_died = lc_suspect_parts_has_died(run, status);
    clean &= run->is_staged;
    bool learns = !interrupted && run->is_staged && lc_job_run_learns(run);
    if (learns)
        run->staging.miss_nodes =
            run->choice.nodes > 0 ? (size_t)run->choice.nodes : run->staged.ok;
    bool is_wanted = answer_is_wanted(run);
    if (clean && !run->staging.here && !interrupted && !has_died && !is_wanted &&
        lc_cleanup_in_background(run)) {
        lc_suspect_parts_end(run, status, NULL);
        return;
    }
    bool is_visited =
        clean || is_wanted || (learns && run->staging.here) || (has_died && run->is_staged);
    if (is_visited && lc_nodes_visit(&run->staging, o->stats, false, clean, &report, &err) < 0)
        end_unanswered(run, clean, &err);
    lc_job_run_count_misses(run, &report);
    if (!o->quiet)
        lc_staging_tell_said(&report, &run->staging.messages);
    lc_suspect_parts_end(run, status, is_visited ? &report : NULL);
    if (clean && (report.signal || is_left_here(run, &report)))
        lc_cleanup_guard_leave(run);
    run->staging.miss_nodes = 0;
    if (learns && lc_job_run_learn_beside(run, &report.misses) && is_in_job() && !clean)
        clean_nodes(run); /* the next run of this job stages the image as it is now */
    if (!interrupted && lc_job_run_is_unused(run, &report, status, &err))
        lc_job_run_tell(run, LC_MESSAGE_NOTE, "%s", err.text);
    run->end_s = (double)(lc_clock_ns() - began) / 1e9;
    if (is_visited && !report.signal)
        lc_staging_choice_learn(run, &report);
    if (o->stats)
        lc_job_run_count(run, report.nodes ? &report : NULL, &outcome->statistics);
    outcome->has_statistics = o->stats;
    if (o->stats)
        lc_job_run_note_misses(run);
    lc_shared_use_end(&run->share);
    if (is_over)
        remove_overlay(run);
    if (clean && is_in_job()) {
        run->is_staged = false;
        lc_job_note_write(run);
    }
    lc_staging_report_free(&report);
}

/* Nodes that had the image already have counters of earlier lines: read them before this one. */
static void count_before(struct lc_job_run *run)
{
    bool had_it = run->was_staged || run->staged.fresh < run->staged.ok;
    struct lc_error err;

    if (run->options->stats && run->is_staged && had_it)
        lc_nodes_visit(&run->staging, true, false, false, &run->before, &err);
}

static enum lc_run_ending run_line(struct lc_job_run *run, struct lc_run_outcome *outcome)
{
    struct lc_error err;

    count_before(run);
    uint64_t began = lc_clock_ns();
    if (!run->options->keep && run->is_staged)
        lc_cleanup_guard_begin(run, NULL);
    int status =
        lc_line_process_run(run, run->ranks.words.item, run->ranks.environment.item, true, &err);

    if (status < 0 && !run->has_started)
        return give_up(run, &err);
    if (status < 0) {
        lc_job_run_tell(run, LC_MESSAGE_WARNING, "%s", err.text);
        return LC_RUN_FAILED;
    }
    run->launch_s = (double)(lc_clock_ns() - began) / 1e9;
    if (run->staging.here)
        lc_here_leave(&run->staging); /* else another run that ends now finds it in use */
    finish_line(run, status, outcome);
    lc_cleanup_guard_end(run);
    outcome->status = status;
    return LC_RUN_ENDED;
}

/* A signal ended the staging; some nodes may have all of the image already. */
static enum lc_run_ending end_by_signal(struct lc_job_run *run, struct lc_run_outcome *outcome)
{
    if (lc_shared_use_is_last(&run->share))
        clean_nodes(run);
    remove_overlay(run);
    lc_shared_use_end(&run->share);
    lc_cleanup_guard_end(run);
    outcome->status = run->staged.signal;
    return LC_RUN_ENDED;
}

/* Has the site switched Loadcast off for a program of the line, or for the script that it runs? */
static bool site_is_against(const struct lc_job_run *run)
{
    const struct lc_site_conf *site = lc_site_conf();
    struct lc_launch_line line = {.programs = 0};

    if (site->off_fors > 0)
        lc_launch_line_find_programs(&line, run->argv);
    for (int i = 0; i < line.programs; i++) {
        char *const *program = run->argv + line.program[i];
        if (lc_site_conf_is_off_for(site, program[0]) ||
            (program[1] && lc_site_conf_is_off_for(site, program[1])))
            return true;
    }
    return false;
}

static enum lc_run_ending run_steps(struct lc_job_run *run, struct lc_run_outcome *outcome)
{
    struct lc_error err;
    bool is_plain;

    if (site_is_against(run))
        return LC_RUN_PLAINLY;
    int rc = lc_job_run_find_image(run, &err);
    if (run->asked) {
        outcome->status = run->asked;
        return LC_RUN_ENDED;
    }
    if (rc > 0 && !run->options->strict)
        return run_without_image(run, rc, &err, outcome);
    if (rc != 0)
        return give_up(run, &err);
    lc_launch_line_parse(&run->line, run->argv, NULL);
    if (lc_stage_origin(run->origin, sizeof(run->origin), &err) < 0)
        return give_up(run, &err);
    if (lc_staging_name_dir(run->options->dir, run->dir, &err) < 0)
        return give_up(run, &err);
    run->staging.origin = run->origin;
    run->staging.dir = run->dir;
    lc_suspect_parts_begin(run, &is_plain);
    if (is_plain)
        return run_plainly(run, outcome);
    if (lc_job_run_check(run, &err) < 0 || prepare_ranks(run, &err) < 0)
        return run->staged.signal ? end_by_signal(run, outcome) : give_up(run, &err);
    if (run->options->dry_run) {
        lc_job_run_show_steps(run, run_cleans(run));
        return LC_RUN_PRINTED;
    }
    return run_line(run, outcome);
}

void lc_run_job(const struct lc_run_options *options, char **argv, struct lc_run_outcome *outcome)
{
    struct lc_job_run run = {.options = options,
                             .argv = argv,
                             .staging = options->staging,
                             .guard = {.pipe_fd = -1},
                             .share = {.lock = -1},
                             .front_fd = -1};

    *outcome = (struct lc_run_outcome){0};
    lc_line_signals_take(&run.signals);
    outcome->end = run_steps(&run, outcome);
    if (outcome->end == LC_RUN_PLAINLY)
        lc_line_signals_restore(&run.signals);
    lc_job_run_drop_private(&run);
    lc_early_step_end(&run.early);
    lc_step_environment_free(&run.clean);
    lc_staging_report_free(&run.before);
    lc_staging_report_free(&run.staged);
    lc_composed_free(&run.ranks);
    lc_store_key_free(&run.missing);
    if (run.front_fd >= 0)
        close(run.front_fd);
}

void lc_run_outcome_free(struct lc_run_outcome *outcome)
{
    for (size_t i = 0; i < outcome->statistics.paths; i++)
        free(outcome->statistics.path[i].path);
    outcome->statistics.paths = 0;
}
