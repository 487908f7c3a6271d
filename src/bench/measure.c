/* SPDX-License-Identifier: MIT */
/* measure.c - measure one run */
#include "bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bystander.h"
#include "launch/width.h"
#include "util/clock.h"

/* How long the bystander is measured before the run: until IDLE_ANSWERS calls, within these limits.
 */
enum { IDLE_MS = 120, IDLE_MOST_MS = 3000, IDLE_ANSWERS = 5 };

void lc_measured_free(struct lc_measured *m)
{
    lc_buf_free(&m->errors);
    lc_phases_free(&m->phases);
}

static void metric_add(struct lc_measured *m, const char *name, double value)
{
    if (!isnan(value) && m->metrics < LC_METRICS_MOST)
        m->metric[m->metrics++] = (struct lc_run_metric){name, value};
}

static void measured_fail(struct lc_measured *m, enum lc_run_status status, const char *reason)
{
    m->status = status;
    snprintf(m->reason, sizeof(m->reason), "%s", reason);
}

/* The launch line: launcher, bench-rank, and the program of a rank. */
static int launch_line_make(const struct lc_measure_point *p, const struct lc_collect *run,
                            struct lc_argv *line, struct lc_error *err)
{
    const struct lc_target *t = p->c->target;
    struct lc_rank_program program;
    struct lc_argv words = {0};

    if (lc_case_program(p->c, p->is_control ? t->base : t->root, &program, err) < 0)
        return -1;
    int rc = p->loadcast ? lc_loadcast_arm_wrap(p->loadcast, &program, err) : 0;
    lc_argv_add(&words, p->c->programs->rank);
    if (program.dir[0]) {
        lc_argv_add(&words, "-C");
        lc_argv_add(&words, program.dir);
    }
    for (size_t i = 0; i < program.variable.count; i++) {
        lc_argv_add(&words, "-e");
        lc_argv_add(&words, program.variable.item[i]);
    }
    lc_argv_add(&words, run->hosts);
    lc_argv_add(&words, run->port);
    lc_argv_add(&words, run->token);
    for (size_t i = 0; i < program.argv.count; i++)
        lc_argv_add(&words, program.argv.item[i]);
    if (rc == 0)
        rc = lc_width_line(p->launcher, p->width.ranks, p->width.nodes, &words, line, err);
    lc_argv_free(&words);
    lc_rank_program_free(&program);
    return rc;
}

/* Keeps the last lines of the lowest rank that failed, else of the launcher. */
static void measured_keep_errors(struct lc_measured *m, const struct lc_collect *run)
{
    for (size_t i = 0; i < run->reports && m->errors.len == 0; i++)
        if (run->report[i].text)
            lc_buf_puts(&m->errors, run->report[i].text);
    if (m->errors.len == 0)
        lc_buf_puts(&m->errors, lc_buf_text(&run->said));
}

static void measured_fill(const struct lc_measure_point *p, struct lc_measured *m,
                          struct lc_collect *run, enum lc_collected outcome)
{
    m->nodes = run->nodes;
    if (lc_phases_fill(&m->phases, run) < 0)
        measured_fail(m, LC_RUN_FAILED, "out of memory");
    metric_add(m, "gate_s", lc_phases_gate(run));
    metric_add(m, LC_METRIC_CLOCK_OFFSET, lc_phases_clock_offset(run));
    metric_add(m, "monotonic_offset_s", lc_phases_monotonic_offset(run));
    metric_add(m, "clock_error_s", lc_phases_clock_error(run));
    if (p->c->spec->kind == LC_CASE_DUMMY)
        metric_add(
            m, LC_METRIC_HARNESS,
            fmax(lc_phases_worst(&m->phases, "start"), fmax(lc_phases_worst(&m->phases, "import"),
                                                            lc_phases_worst(&m->phases, "visit"))));
    if (outcome == LC_COLLECTED_DONE)
        return;
    measured_fail(m, outcome == LC_COLLECTED_TIMEOUT ? LC_RUN_TIMEOUT : LC_RUN_FAILED, run->reason);
    measured_keep_errors(m, run);
}

static void run_ranks(const struct lc_measure_point *p, struct lc_measured *m)
{
    struct lc_collect run;
    struct lc_argv line = {0};
    struct lc_error err;
    enum lc_collected outcome;

    if (lc_collect_open(&run, p->width.ranks, strcmp(p->launcher, "plain") == 0, &err) < 0) {
        measured_fail(m, LC_RUN_FAILED, err.text);
        return;
    }
    if (launch_line_make(p, &run, &line, &err) < 0 ||
        lc_collect_run(&run, &line, p->c->spec->timeout_s, &outcome, &err) < 0)
        measured_fail(m, LC_RUN_FAILED, err.text);
    else
        measured_fill(p, m, &run, outcome);
    lc_argv_free(&line);
    lc_collect_close(&run);
}

/* Stages the image to all nodes of the width. */
static int image_stage(const struct lc_measure_point *p, double *seconds, struct lc_error *err)
{
    struct lc_argv nothing = {0}, line = {0};
    bool is_here = strcmp(p->launcher, "plain") == 0;

    lc_argv_add(&nothing, "true");
    int rc = is_here
                 ? 0
                 : lc_width_line(p->launcher, p->width.ranks, p->width.nodes, &nothing, &line, err);
    if (rc == 0)
        rc = lc_loadcast_arm_stage(p->loadcast, is_here ? NULL : &line, seconds, err);
    lc_argv_free(&nothing);
    lc_argv_free(&line);
    return rc;
}

/* With Loadcast: checks the image, and stages it if it is not staged. */
static int image_check_and_stage(const struct lc_measure_point *p, struct lc_measured *m,
                                 double *seconds, struct lc_error *err)
{
    double check = 0, staging = 0;

    if (!p->loadcast)
        return 0;
    if (lc_loadcast_arm_check(p->loadcast, &check, err) < 0)
        return -1;
    if (!p->loadcast->node[0] && image_stage(p, &staging, err) < 0)
        return -1;
    metric_add(m, LC_METRIC_CHECK, check);
    metric_add(m, LC_METRIC_STAGE, staging);
    metric_add(m, "record_s", p->loadcast->record_s);
    metric_add(m, LC_METRIC_IMAGE, (double)p->loadcast->image_bytes);
    *seconds = check + staging;
    return 0;
}

static void bystander_begin(const struct lc_measure_point *p, struct lc_bystander *b,
                            struct lc_measured *m)
{
    struct lc_error ignored;
    double p95;

    b->pid = -1;
    b->board = NULL;
    if (p->is_quiet || lc_bystander_start(b, p->c->target->other, &ignored) < 0)
        return;
    usleep(IDLE_MS * 1000);
    for (int ms = IDLE_MS; ms < IDLE_MOST_MS && lc_bystander_answers(b) < IDLE_ANSWERS; ms += 20)
        usleep(20000);
    lc_bystander_read(b, &m->bystander_idle_s, &p95);
}

static void bystander_end(struct lc_bystander *b, struct lc_measured *m)
{
    double median, p95;

    if (!b->board)
        return;
    m->bystander_asked = lc_bystander_read(b, &median, &p95);
    if (m->bystander_asked > 0) {
        m->bystander_s = median;
        metric_add(m, LC_METRIC_BYSTANDER, p95);
        metric_add(m, "bystander_median_s", median);
        metric_add(m, LC_METRIC_BYSTANDER_IDLE, m->bystander_idle_s);
    }
    lc_bystander_stop(b);
}

int lc_point_possible(const struct lc_measure_point *point, struct lc_error *err)
{
    return lc_target_exists(point->c->target, err) < 0 ||
                   lc_width_possible(point->launcher, point->width.ranks, point->width.nodes, err) <
                       0
               ? -1
               : 0;
}

void lc_measure(const struct lc_measure_point *point, struct lc_measured *m)
{
    struct lc_bystander bystander;
    struct lc_error err;
    double before_s = 0;

    *m = (struct lc_measured){
        .status = LC_RUN_DONE, .total_s = NAN, .bystander_s = NAN, .bystander_idle_s = NAN};
    if (lc_point_possible(point, &err) < 0) {
        measured_fail(m, LC_RUN_FAILED, err.text);
        return;
    }
    bystander_begin(point, &bystander, m);
    if (image_check_and_stage(point, m, &before_s, &err) < 0)
        measured_fail(m, LC_RUN_FAILED, err.text);
    else
        run_ranks(point, m);
    bystander_end(&bystander, m);
    metric_add(m, LC_METRIC_COPY, point->c->copy_s);
    if (point->c->import_operations > 0)
        metric_add(m, "import_operations", point->c->import_operations);
    if (m->status == LC_RUN_DONE)
        m->total_s = before_s + lc_phases_worst(&m->phases, "total");
}
