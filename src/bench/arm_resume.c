/* SPDX-License-Identifier: MIT */
/* arm_resume.c - take what an interrupted suite has measured of an arm from the database */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/arm.h"
#include "results/read.h"

static void line_take_counts(struct lc_bench_line *line, const struct lc_run *run)
{
    line->operations = lc_run_metric(run, LC_METRIC_OPERATIONS);
    line->operations_per_rank = lc_run_metric(run, LC_METRIC_OPERATIONS_PER);
    line->busy_s = lc_run_metric(run, LC_METRIC_SERVER_BUSY);
    line->busy_all_scaled_s = lc_run_metric(run, LC_METRIC_SERVER_BUSY_ALL);
    line->control_s = lc_run_metric(run, LC_METRIC_CPU_CONTROL);
}

static int row_take_done(struct lc_arm *arm, const struct lc_run *run)
{
    struct lc_bench_line *line = &arm->line;
    double *totals = realloc(line->total_s, (size_t)(line->done + 1) * sizeof(*totals));

    if (!totals)
        return -1;
    line->total_s = totals;
    line->total_s[line->done++] = run->total_s;
    line->runs++;
    line->nodes = run->key.nodes;
    snprintf(line->status, sizeof(line->status), "%s", lc_run_status_name(run->status));
    snprintf(line->how, sizeof(line->how), "%.60s", run->key.how ? run->key.how : "");
    struct lc_run_uid *uids = realloc(arm->uid, (arm->uids + 1) * sizeof(*uids));
    if (uids) {
        arm->uid = uids;
        memcpy(arm->uid[arm->uids++].s, run->uid, sizeof(run->uid));
    }
    if (!isnan(lc_run_metric(run, LC_METRIC_OPERATIONS))) {
        arm->is_counted = true;
        line_take_counts(line, run);
    }
    return 0;
}

static void row_take_timeout(struct lc_arm *arm, const struct lc_run *run)
{
    struct lc_bench_line *line = &arm->line;

    line->runs++;
    line->failed++;
    arm->bench->failures++;
    snprintf(line->status, sizeof(line->status), "%s", lc_run_status_name(run->status));
    snprintf(line->reason, sizeof(line->reason), "%.500s", run->reason);
}

static void row_take_stopped(struct lc_arm *arm, const struct lc_run *run)
{
    arm->was_stopped = arm->is_over = true;
    snprintf(arm->line.status, sizeof(arm->line.status), "%s", lc_run_status_name(run->status));
    snprintf(arm->line.reason, sizeof(arm->line.reason), "%.500s", run->reason);
}

static struct lc_measured measured_of(const struct lc_run *run)
{
    double asked = lc_run_metric(run, LC_METRIC_BYSTANDER_ASKED);

    return (struct lc_measured){.status = run->status,
                                .total_s = run->total_s,
                                .bystander_s = lc_run_metric(run, "bystander_median_s"),
                                .bystander_idle_s = lc_run_metric(run, LC_METRIC_BYSTANDER_IDLE),
                                .bystander_asked = isnan(asked) ? 0 : (size_t)asked};
}

/* Runs that failed, or were not started for a reason that is gone, are tried anew. One that took
 * too long, or harmed other users, stops the wider ones as it did before. */
static int row_take(void *arg, const struct lc_run *run)
{
    struct lc_arm *arm = arg;
    long nodes = arm->point.width.nodes;
    struct lc_measured measured = measured_of(run);

    if (run->status == LC_RUN_STOPPED && arm->stop->is_set && arm->rounds == 0)
        row_take_stopped(arm, run);
    if ((nodes && run->key.nodes != nodes) ||
        (run->status != LC_RUN_DONE && run->status != LC_RUN_TIMEOUT))
        return 0;
    arm->rounds++;
    arm->bench->runs_done++;
    if (run->status == LC_RUN_DONE && row_take_done(arm, run) < 0)
        return -1;
    if (run->status == LC_RUN_TIMEOUT)
        row_take_timeout(arm, run);
    lc_arm_consider_stopping(arm, &measured);
    return 0;
}

int lc_arm_resume(struct lc_arm *arm, struct lc_error *err)
{
    const struct lc_bench *b = arm->bench;
    const struct lc_bench_line *line = &arm->line;
    const struct lc_run_filter filter = {.suite = b->suite->name,
                                         .name = line->name,
                                         .mode = line->mode,
                                         .target = line->target,
                                         .with = line->with,
                                         .cache = line->cache,
                                         .ranks = line->width.ranks,
                                         .since_ns = b->resume.since_ns};

    if (!b->resume.is_on)
        return 0;
    return lc_results_each(b->results, &filter, LC_READ_METRICS, row_take, arm, err);
}

bool lc_arm_is_finished(const struct lc_arm *arm)
{
    return arm->was_stopped || (arm->line.done > 0 && lc_arm_is_settled(arm) &&
                                (arm->is_counted || !*arm->bench->suite->count ||
                                 arm->point.c->spec->kind == LC_CASE_DUMMY));
}
