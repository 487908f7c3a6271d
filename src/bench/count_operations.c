/* SPDX-License-Identifier: MIT */
/* count_operations.c - count operations by stormfs's counters or by trace */
#include "bench/count_operations.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "bench/arm_loadcast.h"
#include "bench/traced.h"

/* Seconds of the same run from the directory behind stormfs: this is CPU time. */
static double measure_without_stormfs(const struct lc_measure_point *point)
{
    struct lc_measure_point p = *point;
    struct lc_measured m;

    p.is_control = p.is_quiet = true;
    p.is_cold = false;
    lc_measure(&p, &m);
    double seconds = m.total_s;
    lc_measured_free(&m);
    return seconds;
}

static int count_by_stormfs(const struct lc_measure_point *point, struct lc_bench_line *line,
                            struct lc_error *err)
{
    struct lc_target *t = point->c->target;
    struct lc_measure_point p = *point;
    struct lc_target_counts counts;
    struct lc_measured m;
    char how[64];

    p.is_quiet = true;
    if (lc_make_cold(&p, how, sizeof(how), err) < 0 || lc_target_reset(t, err) < 0)
        return -1;
    lc_measure(&p, &m);
    int rc = m.status == LC_RUN_DONE ? lc_target_counts(t, &counts, err)
                                     : lc_error_set(err, "%s", m.reason);
    lc_measured_free(&m);
    if (rc < 0)
        return -1;
    line->operations = (double)counts.requests;
    line->busy_s = counts.busy_s;
    line->busy_all_scaled_s = counts.busy_all_scaled_s;
    line->control_s = measure_without_stormfs(point);
    return 0;
}

static int trace_rank(const struct lc_measure_point *point, const struct lc_loadcast_arm *loadcast,
                      double *calls, struct lc_error *err)
{
    struct lc_rank_program p;
    struct lc_argv command = {0};
    struct lc_traced traced = {0};

    if (lc_case_program(point->c, point->c->target->root, &p, err) < 0)
        return -1;
    int rc = loadcast ? lc_loadcast_arm_wrap(loadcast, &p, err) : 0;
    lc_program_words(&p, &command);
    if (rc == 0)
        rc = lc_trace_one(point->c, &command, NULL, point->c->spec->timeout_s, NULL, &traced, err);
    *calls = traced.metadata;
    lc_argv_free(&command);
    lc_rank_program_free(&p);
    return rc;
}

/* Traces a rank on this host. If the image is not staged here (a head node outside the job), it is
 * staged for the trace. */
static int trace_rank_here(const struct lc_measure_point *point,
                           const struct lc_loadcast_arm *loadcast, double *calls,
                           struct lc_error *err)
{
    struct lc_loadcast_arm here;
    struct lc_error ignored;

    if (!loadcast || access(loadcast->node, F_OK) == 0)
        return trace_rank(point, loadcast, calls, err);
    int rc = lc_loadcast_arm_stage_here(loadcast, &here, err);
    if (rc == 0)
        rc = trace_rank(point, &here, calls, err);
    lc_loadcast_arm_unstage(&here, &ignored);
    return rc;
}

static int count_by_trace(const struct lc_measure_point *point, struct lc_bench_line *line,
                          struct lc_error *err)
{
    const struct lc_loadcast_arm *loadcast = lc_loadcast_of(point->setup);
    double rank = 0;
    struct lc_argv command = {0};
    struct lc_traced check = {0};

    if (!loadcast && point->setup->ops != &lc_arm_plain)
        return lc_error_set(err, "with '%s' they are counted on a stormfs only",
                            point->setup->ops->name);
    int rc = trace_rank_here(point, loadcast, &rank, err);
    if (rc == 0 && loadcast) {
        lc_argv_add(&command, point->c->programs->loadcast);
        lc_argv_add(&command, "check");
        lc_argv_add(&command, loadcast->image);
        rc = lc_trace_one(point->c, &command, NULL, point->c->spec->timeout_s, NULL, &check, err);
        lc_argv_free(&command);
    }
    if (rc < 0)
        return -1;
    line->operations = rank * (double)point->width.ranks + check.metadata;
    return 0;
}

void lc_count_operations(const struct lc_measure_point *point, struct lc_bench_line *line,
                         void (*say)(const char *text))
{
    struct lc_error err;
    char text[1200];
    int rc = point->c->target->spec->stormfs ? count_by_stormfs(point, line, &err)
                                             : count_by_trace(point, line, &err);

    line->operations_per_rank = line->operations / (double)point->width.ranks;
    if (rc == 0 || !say)
        return;
    snprintf(text, sizeof(text), "operations of '%s' on '%s' were not counted: %.900s",
             point->c->spec->name, point->c->target->spec->name, err.text);
    say(text);
}
