/* SPDX-License-Identifier: MIT */
/* measure.c - measure one run */
#include "bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/arm_loadcast.h"
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

void lc_measured_metric(struct lc_measured *m, const char *name, double value)
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
    struct lc_rank_program program;
    struct lc_argv words = {0};
    int rc = p->is_control ? lc_case_program(p->c, p->c->target->base, &program, err)
                           : p->setup->ops->program(p->setup, &program, err);

    if (rc < 0)
        return -1;
    lc_argv_add(&words, p->c->programs->rank);
    if (p->setup->ops->has_no_vfork)
        lc_argv_add(&words, "-f");
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
    if (!p->is_control && p->setup->ops->prefix)
        p->setup->ops->prefix(p->setup, line);
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
    lc_measured_metric(m, "gate_s", lc_phases_gate(run));
    lc_measured_metric(m, LC_METRIC_CLOCK_OFFSET, lc_phases_clock_offset(run));
    lc_measured_metric(m, "monotonic_offset_s", lc_phases_monotonic_offset(run));
    lc_measured_metric(m, "clock_error_s", lc_phases_clock_error(run));
    if (p->c->spec->kind == LC_CASE_DUMMY)
        lc_measured_metric(
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

/* What the arm does before the ranks of a job are started. */
static int arm_begin(const struct lc_measure_point *p, struct lc_measured *m, double *seconds,
                     struct lc_error *err)
{
    const struct lc_arm_job job = {
        .launcher = p->launcher, .width = p->width, .is_single = p->is_cold || p->is_found};
    struct lc_arm_times times;

    if (p->is_control)
        return 0;
    if (lc_arm_setup_begin(p->setup, &job, &times, err) < 0)
        return -1;
    lc_measured_metric(m, LC_METRIC_CHECK, times.check_s);
    lc_measured_metric(m, LC_METRIC_STAGE, times.stage_s);
    lc_measured_metric(m, LC_METRIC_PREPARE, p->setup->prepare_s);
    lc_measured_metric(m, LC_METRIC_EDIT, p->setup->edit_s);
    if (lc_loadcast_of(p->setup))
        lc_measured_metric(m, "record_s", p->setup->prepare_s);
    if (p->setup->bytes > 0)
        lc_measured_metric(m, LC_METRIC_IMAGE, (double)p->setup->bytes);
    *seconds =
        (isnan(times.check_s) ? 0 : times.check_s) + (isnan(times.stage_s) ? 0 : times.stage_s);
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
    if (p->c->target->spec->stormfs)
        lc_target_reset(p->c->target, &ignored);
}

/* On a stormfs: what the server took for the bystander, without the CPU time that stat lacked on a
 * machine which is busy with the ranks, as another user's would not be. */
static void bystander_ask_server(const struct lc_target *t, struct lc_measured *m)
{
    struct lc_error ignored;
    double median, p95;

    if (t->spec->stormfs && lc_target_bystander(t, &median, &p95, &ignored) == 0)
        lc_measured_metric(m, LC_METRIC_BYSTANDER_SERVER, p95);
}

static void bystander_end(const struct lc_measure_point *p, struct lc_bystander *b,
                          struct lc_measured *m)
{
    double median, p95;

    if (!b->board)
        return;
    m->bystander_asked = lc_bystander_read(b, &median, &p95);
    if (m->bystander_asked > 0) {
        m->bystander_s = median;
        lc_measured_metric(m, LC_METRIC_BYSTANDER, p95);
        lc_measured_metric(m, "bystander_median_s", median);
        lc_measured_metric(m, LC_METRIC_BYSTANDER_IDLE, m->bystander_idle_s);
        lc_measured_metric(m, LC_METRIC_BYSTANDER_ASKED, (double)m->bystander_asked);
        bystander_ask_server(p->c->target, m);
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
    if (arm_begin(point, m, &before_s, &err) < 0)
        measured_fail(m, LC_RUN_FAILED, err.text);
    else
        run_ranks(point, m);
    bystander_end(point, &bystander, m);
    lc_measured_metric(m, LC_METRIC_COPY, point->c->copy_s);
    if (point->c->import_operations > 0)
        lc_measured_metric(m, "import_operations", point->c->import_operations);
    if (m->status == LC_RUN_DONE)
        m->total_s = before_s + lc_phases_worst(&m->phases, "total");
}
