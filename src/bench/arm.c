/* SPDX-License-Identifier: MIT */
/* arm.c - repetitions of one arm, and when to stop */
#include "bench/arm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/count_operations.h"
#include "bench/drop_caches.h"
#include "bench/stats.h"
#include "launch/width.h"
#include "util/human.h"

/* A bystander's stat below this is fast enough, however much slower than on the idle server. */
static const double harmless_s = 0.001;

/* A single slow stat may be caused by a busy CPU. Several, or one above certain_s, show that the
 * server is overloaded. */
static const double certain_s = 0.1;

void lc_arm_set(struct lc_arm *arm, struct lc_bench *bench, struct lc_case *c,
                struct lc_arm_setup *setup, struct lc_width width, const char *cache,
                struct lc_stop *stop)
{
    *arm = (struct lc_arm){
        .bench = bench,
        .stop = stop,
        .point = {.c = c,
                  .setup = setup,
                  .width = width,
                  .launcher = lc_width_resolve(c->spec->launcher, c->needs_mpi),
                  .is_cold = strcmp(cache, "cold") == 0,
                  .is_found = strcmp(cache, "found") == 0},
        .line = {.name = c->spec->name,
                 .mode = lc_case_mode(c),
                 .target = c->target->spec->name,
                 .with = setup->ops->name,
                 .cache = cache,
                 .width = width,
                 .median_s = NAN,
                 .low_s = NAN,
                 .high_s = NAN,
                 .best_s = NAN,
                 .operations = NAN,
                 .operations_per_rank = NAN,
                 .busy_s = NAN,
                 .busy_all_scaled_s = NAN,
                 .control_s = NAN},
    };
}

static int row_reserve(struct lc_arm *arm, long repetition, struct lc_run_uid *uid,
                       struct lc_error *err)
{
    const struct lc_bench *b = arm->bench;
    const struct lc_case *c = arm->point.c;
    long nodes = arm->point.width.nodes ? arm->point.width.nodes : arm->line.nodes;
    const struct lc_run_key key = {
        .suite = b->suite->name,
        .name = c->spec->name,
        .mode = arm->line.mode,
        .target = c->target->spec->name,
        .ranks = arm->point.width.ranks,
        .nodes = nodes > 0 ? nodes : 1,
        .with = arm->line.with,
        .cache = arm->line.cache,
        .how = arm->line.how,
        .repetition = repetition,
    };
    const struct lc_run_place place = {
        .host = b->facts.host,
        .cpu = b->facts.cpu,
        .kernel = b->facts.kernel,
        .fs_type = c->target->fs_type,
        .fs_options = c->target->fs_options,
        .launcher = arm->point.launcher,
        .mpi = c->needs_mpi ? b->facts.mpi : "",
        .python = c->python_version,
        .glibc = b->facts.glibc,
        .job = b->facts.job,
        .suite_text = b->suite->text,
    };

    return lc_results_reserve(b->results, &key, &place, uid, err);
}

static int row_finish(struct lc_arm *arm, const struct lc_run_uid *uid, const struct lc_measured *m,
                      struct lc_error *err)
{
    const struct lc_run_end end = {
        .status = m->status,
        .reason = m->reason,
        .errors = lc_buf_text(&m->errors),
        .phase = m->phases.phase,
        .phases = m->phases.count,
        .metric = m->metric,
        .metrics = m->metrics,
        .nodes = m->status == LC_RUN_DONE || !arm->point.width.nodes ? m->nodes : 0,
    };
    struct lc_run_uid *more = realloc(arm->uid, (arm->uids + 1) * sizeof(*more));

    if (more) {
        arm->uid = more;
        arm->uid[arm->uids++] = *uid;
    }
    return lc_results_finish(arm->bench->results, uid, &end, err);
}

/* Writes a row that says why nothing was run. */
static int row_without_run(struct lc_arm *arm, long repetition, enum lc_run_status status,
                           const char *reason, struct lc_error *err)
{
    struct lc_measured m = {.status = status};
    struct lc_run_uid uid;

    snprintf(m.reason, sizeof(m.reason), "%s", reason);
    snprintf(arm->line.reason, sizeof(arm->line.reason), "%.500s", reason);
    snprintf(arm->line.status, sizeof(arm->line.status), "%s", lc_run_status_name(status));
    arm->is_over = true;
    return row_reserve(arm, repetition, &uid, err) < 0 ? -1 : row_finish(arm, &uid, &m, err);
}

void lc_stop_set(struct lc_stop *stop, enum lc_run_status status, const char *reason)
{
    stop->is_set = true;
    stop->status = status;
    snprintf(stop->reason, sizeof(stop->reason), "%.390s", reason);
}

static void stop_series(struct lc_arm *arm, const char *why)
{
    char reason[400];

    arm->is_over = true;
    snprintf(reason, sizeof(reason), "%.350s at %ld ranks", why, arm->point.width.ranks);
    lc_stop_set(arm->stop, LC_RUN_STOPPED, reason);
}

/* Is the server so much slower for the bystander that other users are harmed? */
static bool bystander_suffers(const struct lc_measured *m, double limit)
{
    return m->bystander_s > limit * m->bystander_idle_s && m->bystander_s > harmless_s &&
           (m->bystander_asked >= LC_BYSTANDER_CERTAIN || m->bystander_s > certain_s);
}

void lc_arm_consider_stopping(struct lc_arm *arm, const struct lc_measured *m)
{
    double limit = *arm->bench->suite->bystander_limit, above = arm->point.c->spec->stop_above_s;
    char why[300];

    if (m->status == LC_RUN_TIMEOUT)
        stop_series(arm, "timed out");
    if (m->status == LC_RUN_DONE && above > 0 && m->total_s > above) {
        snprintf(why, sizeof(why), "%s, above stop_above %s", lc_human_seconds(m->total_s).s,
                 lc_human_seconds(above).s);
        stop_series(arm, why);
    }
    if (limit > 0 && bystander_suffers(m, limit)) {
        snprintf(why, sizeof(why), "a bystander's stat took %s instead of %s",
                 lc_human_seconds(m->bystander_s).s, lc_human_seconds(m->bystander_idle_s).s);
        stop_series(arm, why);
    }
}

/* Warns if the launcher used another number of nodes than requested. */
static void warn_about_nodes(const struct lc_arm *arm, const struct lc_measured *m)
{
    char text[300];

    if (m->status != LC_RUN_DONE || !arm->point.width.nodes || m->nodes == arm->point.width.nodes ||
        !arm->bench->say)
        return;
    snprintf(text, sizeof(text), "%.200s: asked for %ld nodes, ran on %ld", arm->line.name,
             arm->point.width.nodes, m->nodes);
    arm->bench->say(text);
}

static double metric_of(const struct lc_measured *m, const char *name)
{
    for (size_t i = 0; i < m->metrics; i++)
        if (strcmp(m->metric[i].name, name) == 0)
            return m->metric[i].value;
    return NAN;
}

/* Prints a line for each run where no progress bar can be drawn. */
static void run_print(const struct lc_arm *arm, const struct lc_measured *m)
{
    const struct lc_bench *b = arm->bench;
    const struct lc_bench_line *l = &arm->line;
    double check = metric_of(m, LC_METRIC_CHECK), stage = metric_of(m, LC_METRIC_STAGE);
    struct lc_buf text = {0};

    if (b->bar.on || !b->say)
        return;
    lc_buf_printf(&text, "run %3llu of at most %llu: %.100s on %.100s, %ld rank%s, %s, %s: ",
                  (unsigned long long)b->runs_done, (unsigned long long)b->runs_planned, l->name,
                  l->target, l->width.ranks, l->width.ranks == 1 ? "" : "s", l->cache, l->with);
    if (m->status != LC_RUN_DONE)
        lc_buf_printf(&text, "%s: %s", lc_run_status_name(m->status), m->reason);
    else
        lc_buf_puts(&text, lc_human_seconds(m->total_s).s);
    if (m->status == LC_RUN_DONE && !isnan(check)) {
        lc_buf_printf(&text, " (check %s, ", lc_human_seconds(check).s);
        lc_buf_printf(&text, "staging %s)", lc_human_seconds(stage).s);
    }
    b->say(lc_buf_text(&text));
    lc_buf_free(&text);
}

static void run_note(struct lc_arm *arm, const struct lc_measured *m)
{
    struct lc_bench_line *line = &arm->line;
    double *more = realloc(line->total_s, (size_t)(line->done + 1) * sizeof(*more));

    line->runs++;
    line->nodes = m->nodes;
    snprintf(line->status, sizeof(line->status), "%s", lc_run_status_name(m->status));
    snprintf(line->reason, sizeof(line->reason), "%.500s", m->reason);
    if (more)
        line->total_s = more;
    if (more && m->status == LC_RUN_DONE)
        line->total_s[line->done++] = m->total_s;
    if (m->status == LC_RUN_FAILED || m->status == LC_RUN_TIMEOUT) {
        line->failed++;
        arm->bench->failures++;
        arm->is_over = true;
    }
    run_print(arm, m);
    warn_about_nodes(arm, m);
    lc_arm_consider_stopping(arm, m);
}

/* A run that fills the caches. It is not timed, but a failure is recorded. */
static int warm_up(struct lc_arm *arm, struct lc_error *err)
{
    struct lc_measured m;
    struct lc_measure_point point = arm->point;
    int rc = 0;

    if (row_reserve(arm, arm->rounds + 1, &arm->first, err) < 0)
        return -1;
    arm->has_first = true;
    point.is_quiet = true;
    lc_measure(&point, &m);
    if (m.status != LC_RUN_DONE) {
        arm->bench->runs_done++;
        arm->rounds++;
        run_note(arm, &m);
        rc = row_finish(arm, &arm->first, &m, err);
    }
    lc_measured_free(&m);
    return rc;
}

int lc_arm_begin(struct lc_arm *arm, struct lc_error *err)
{
    bool is_stopped = arm->stop->is_set; /* by a narrower width, or on this machine */

    if (lc_arm_resume(arm, err) < 0)
        return -1;
    if (lc_arm_is_settled(arm))
        return 0;
    if (is_stopped)
        return row_without_run(arm, 1, arm->stop->status, arm->stop->reason, err);
    if (arm->point.is_cold || arm->point.is_found || arm->point.c->spec->kind == LC_CASE_DUMMY)
        return 0;
    struct lc_error ignored; /* the files may be on other nodes; the warm-up brings them anew */
    lc_arm_setup_end(arm->point.setup, &ignored);
    return warm_up(arm, err);
}

int lc_arm_run(struct lc_arm *arm, struct lc_error *err)
{
    struct lc_measured m;
    struct lc_run_uid uid;
    struct lc_error why;

    arm->bench->runs_done++;
    long repetition = ++arm->rounds;
    if (lc_point_possible(&arm->point, &why) == 0 &&
        lc_make_cold(&arm->point, arm->line.how, sizeof(arm->line.how), &why) < 0) {
        bool is_refused = strstr(why.text, LC_COLD_REFUSED);
        arm->bench->refused += is_refused;
        arm->bench->failures += !is_refused;
        stop_series(arm, why.text);
        return row_without_run(arm, repetition, is_refused ? LC_RUN_STOPPED : LC_RUN_FAILED,
                               why.text, err);
    }
    if (arm->has_first)
        uid = arm->first;
    else if (row_reserve(arm, repetition, &uid, err) < 0)
        return -1;
    arm->has_first = false;
    lc_measure(&arm->point, &m);
    if (arm->rounds == 1 && *arm->bench->suite->count)
        lc_measure_memory(&arm->point, &m);
    /* Do not take memory from the other arms, nor keep a mount busy. */
    if (arm->point.is_cold || arm->point.setup->ops->is_per_run)
        lc_arm_setup_end(arm->point.setup, &why);
    run_note(arm, &m);
    int rc = row_finish(arm, &uid, &m, err);
    lc_measured_free(&m);
    return rc;
}

bool lc_arm_is_settled(const struct lc_arm *arm)
{
    const struct lc_suite *s = arm->bench->suite;

    return arm->is_over || arm->rounds >= *s->max_runs ||
           (arm->line.done >= *s->min_runs &&
            lc_stats_is_settled(arm->line.total_s, (size_t)arm->line.done, *s->precision));
}

static void line_sum_up(struct lc_bench_line *line)
{
    size_t n = (size_t)line->done;

    line->median_s = lc_stats_median(line->total_s, n);
    if (!lc_stats_interval(line->total_s, n, &line->low_s, &line->high_s))
        line->low_s = line->high_s = NAN;
    line->best_s = n ? line->total_s[0] : NAN; /* lc_stats_median() has sorted them */
}

static int rows_add_metric(struct lc_arm *arm, const char *name, double value, struct lc_error *err)
{
    for (size_t i = 0; i < arm->uids && !isnan(value); i++)
        if (lc_results_metric(arm->bench->results, &arm->uid[i], name, value, err) < 0)
            return -1;
    return 0;
}

static int operations_count(struct lc_arm *arm, struct lc_error *err)
{
    struct lc_bench_line *line = &arm->line;

    lc_count_operations(&arm->point, line, arm->bench->say);
    return rows_add_metric(arm, LC_METRIC_OPERATIONS, line->operations, err) < 0 ||
                   rows_add_metric(arm, LC_METRIC_OPERATIONS_PER, line->operations_per_rank, err) <
                       0 ||
                   rows_add_metric(arm, LC_METRIC_SERVER_BUSY, line->busy_s, err) < 0 ||
                   rows_add_metric(arm, LC_METRIC_SERVER_BUSY_ALL, line->busy_all_scaled_s, err) <
                       0 ||
                   rows_add_metric(arm, LC_METRIC_CPU_CONTROL, line->control_s, err) < 0
               ? -1
               : 0;
}

int lc_arm_end(struct lc_arm *arm, struct lc_error *err)
{
    const struct lc_bench *b = arm->bench;
    int rc = 0;

    line_sum_up(&arm->line);
    arm->bench->runs_done += (uint64_t)(*b->suite->max_runs - arm->rounds);
    if (*b->suite->count && arm->line.done > 0 && !arm->is_counted && !lc_interrupted() &&
        arm->point.c->spec->kind != LC_CASE_DUMMY)
        rc = operations_count(arm, err);
    if (b->tell)
        b->tell(&arm->line, b->arg);
    return rc;
}

void lc_arm_free(struct lc_arm *arm)
{
    free(arm->uid);
    free(arm->line.total_s);
    arm->uid = NULL;
    arm->line.total_s = NULL;
}

int lc_bench_unusable(struct lc_bench *bench, struct lc_case *c, const char *reason,
                      struct lc_error *err)
{
    struct lc_stop stop = {0};
    struct lc_arm_setup plain = {.ops = &lc_arm_plain, .c = c};
    struct lc_arm arm;

    lc_arm_set(&arm, bench, c, &plain, c->spec->widths[0], bench->suite->caches[0], &stop);
    int rc = row_without_run(&arm, 1, LC_RUN_FAILED, reason, err);
    if (bench->tell)
        bench->tell(&arm.line, bench->arg);
    lc_arm_free(&arm);
    return rc;
}

int lc_bench_lost_target(struct lc_bench *bench, const struct lc_picks *picks, unsigned target,
                         const char *reason, struct lc_error *err)
{
    struct lc_target lost = {.spec = &bench->suite->targets[target]};
    int rc = 0;

    for (unsigned i = 0; i < bench->suite->cases_count && rc == 0; i++) {
        struct lc_case c = {
            .suite = bench->suite, .spec = &bench->suite->cases[i], .target = &lost};
        if (lc_picks_has(picks, i, target))
            rc = lc_bench_unusable(bench, &c, reason, err);
    }
    return rc;
}
