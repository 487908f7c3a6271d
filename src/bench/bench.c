/* SPDX-License-Identifier: MIT */
/* bench.c - the loops: cases, targets, widths, caches, repetitions, arms
 *
 * Widths increase. Within a width all cold runs come first, then the warm ones. The arms
 * alternate, and the order is reversed each time, so that drift of the machine affects all alike.
 */
#include "bench/bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/arm.h"
#include "bench/pick.h"
#include "launch/width.h"
#include "util/human.h"

static void message_print(const struct lc_bench *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void message_print(const struct lc_bench *b, const char *fmt, ...)
{
    char text[1200];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (b->say)
        b->say(text);
}

/* All arms at one width in one state of the caches. */
static int run_block(struct lc_bench *b, struct lc_arm *arm, size_t arms, struct lc_error *err)
{
    long most = *b->suite->max_runs;

    for (size_t i = 0; i < arms; i++)
        if (lc_arm_begin(&arm[i], err) < 0)
            return -1;
    for (long round = 1; round <= most && !lc_interrupted(); round++)
        for (size_t i = 0; i < arms; i++) {
            struct lc_arm *next = &arm[round % 2 ? i : arms - 1 - i];
            if (!lc_interrupted() && !lc_arm_is_settled(next) && lc_arm_run(next, err) < 0)
                return -1;
            lc_progress_update(&b->bar, b->runs_done);
        }
    for (size_t i = 0; i < arms; i++)
        if (lc_arm_end(&arm[i], err) < 0)
            return -1;
    return 0;
}

/* The arms of a suite, set up for one case on one target. */
struct arms {
    struct lc_arm_setup *setup;
    struct lc_arm *arm;
    struct lc_stop *stop; /* arms in the first state of the caches, then in the second */
    unsigned count;
};

static void arms_close(struct arms *arms)
{
    for (unsigned i = 0; i < arms->count; i++)
        lc_arm_setup_close(&arms->setup[i]);
    free(arms->setup);
    free(arms->arm);
    free(arms->stop);
}

/* No width of this arm is run, and each gets a row that says why. */
static void arm_leave_out(const struct lc_bench *b, struct arms *arms, unsigned i,
                          enum lc_run_status status, const char *reason)
{
    for (unsigned k = 0; k < b->suite->caches_count; k++)
        lc_stop_set(&arms->stop[k * arms->count + i], status, reason);
}

/* Can the arm not be had on this machine? Then 'reason' says why. */
static bool arm_is_missing(const struct lc_arm_ops *ops, char *reason, size_t size)
{
    struct lc_error why;

    if (!ops->possible || ops->possible(&why) == 0)
        return false;
    snprintf(reason, size, "'%s' is left out: %s", ops->name, why.text);
    return true;
}

/* An arm that cannot be had on this machine is left out; one that should work and does not counts
 * as a failure. */
static void arm_set_up(struct lc_bench *b, struct arms *arms, unsigned i, const struct lc_case *c)
{
    struct lc_arm_setup *setup = &arms->setup[i];
    const struct lc_arm_ops *ops = lc_arm_ops_find(b->suite->with[i]);
    struct lc_error why;
    char reason[1200];

    setup->ops = ops;
    if (arm_is_missing(ops, reason, sizeof(reason))) {
        message_print(b, "%s on %s: %s", c->spec->name, c->target->spec->name, reason);
        arm_leave_out(b, arms, i, LC_RUN_STOPPED, reason);
    } else if (lc_arm_setup_open(setup, ops, c, b->work, &why) < 0) {
        b->failures++;
        message_print(b, "%s", why.text);
        arm_leave_out(b, arms, i, LC_RUN_FAILED, why.text);
    } else if (ops->prepare) {
        message_print(b, "%s on %s: %s for '%s', %s in %s", c->spec->name, c->target->spec->name,
                      ops->prepared, ops->name, lc_human_bytes(setup->bytes).s,
                      lc_human_seconds(setup->prepare_s).s);
    }
}

static int arms_open(struct lc_bench *b, struct arms *arms, const struct lc_case *c,
                     struct lc_error *err)
{
    const struct lc_suite *s = b->suite;

    arms->count = s->with_count;
    arms->setup = calloc(arms->count, sizeof(*arms->setup));
    arms->arm = calloc(arms->count, sizeof(*arms->arm));
    arms->stop = calloc((size_t)arms->count * s->caches_count, sizeof(*arms->stop));
    if (!arms->setup || !arms->arm || !arms->stop) {
        arms->count = 0;
        return lc_error_set(err, "out of memory");
    }
    for (unsigned i = 0; i < arms->count && !lc_interrupted(); i++)
        arm_set_up(b, arms, i, c);
    return 0;
}

/* One case on one target at every width. */
static int run_widths(struct lc_bench *b, struct lc_case *c, struct arms *arms,
                      struct lc_error *err)
{
    const struct lc_suite *s = b->suite;

    for (size_t w = 0; w < c->spec->width_count; w++)
        for (unsigned k = 0; k < s->caches_count; k++) {
            if (lc_interrupted())
                return 0;
            for (unsigned i = 0; i < arms->count; i++)
                lc_arm_set(&arms->arm[i], b, c, &arms->setup[i], c->spec->widths[w], s->caches[k],
                           &arms->stop[k * arms->count + i]);
            int rc = run_block(b, arms->arm, arms->count, err);
            for (unsigned i = 0; i < arms->count; i++)
                lc_arm_free(&arms->arm[i]);
            if (rc < 0)
                return lc_interrupted() ? 0 : -1;
        }
    return 0;
}

/* Fn: was the arm finished before, or print its line. False ends the loop. */
typedef bool arm_fn(struct lc_arm *arm, struct lc_error *err);

/* What stops each arm before its first width: that this machine does not have it. Freed by the
 * caller; NULL: out of memory. */
static struct lc_stop *stops_make(const struct lc_suite *s)
{
    struct lc_stop *stop = calloc((size_t)s->with_count * s->caches_count, sizeof(*stop));
    char reason[1200];

    for (unsigned i = 0; stop && i < s->with_count; i++)
        if (arm_is_missing(lc_arm_ops_find(s->with[i]), reason, sizeof(reason)))
            for (unsigned k = 0; k < s->caches_count; k++)
                lc_stop_set(&stop[k * s->with_count + i], LC_RUN_STOPPED, reason);
    return stop;
}

static bool each_arm(struct lc_bench *b, struct lc_case *c, arm_fn *fn, struct lc_error *err)
{
    const struct lc_suite *s = b->suite;
    struct lc_stop *stop = stops_make(s);
    bool go_on = stop || lc_error_set(err, "out of memory") == 0;

    for (size_t w = 0; w < c->spec->width_count && go_on; w++)
        for (unsigned k = 0; k < s->caches_count && go_on; k++)
            for (unsigned i = 0; i < s->with_count && go_on; i++) {
                struct lc_arm_setup setup = {.ops = lc_arm_ops_find(s->with[i]), .c = c};
                struct lc_arm arm;
                lc_arm_set(&arm, b, c, &setup, c->spec->widths[w], s->caches[k],
                           &stop[k * s->with_count + i]);
                go_on = lc_arm_resume(&arm, err) == 0 && fn(&arm, err);
                lc_arm_free(&arm);
            }
    free(stop);
    return go_on;
}

static bool arm_finished(struct lc_arm *arm, struct lc_error *err)
{
    (void)err;
    return lc_arm_is_finished(arm);
}

static bool arm_end(struct lc_arm *arm, struct lc_error *err)
{
    return lc_arm_end(arm, err) == 0;
}

/* Was all of the case measured before the suite was interrupted? Then it needs no preparation. */
static bool case_is_finished(struct lc_bench *b, struct lc_case *c)
{
    struct lc_error ignored;
    uint64_t before = b->runs_done;
    long failures = b->failures;
    bool is_finished = b->resume.is_on && each_arm(b, c, arm_finished, &ignored);

    b->runs_done = before;
    b->failures = failures;
    return is_finished;
}

/* A case that cannot be set up counts as one failure; the suite goes on. */
static int run_case(struct lc_bench *b, const struct lc_suite_case *spec, struct lc_target *target,
                    struct lc_error *err)
{
    struct lc_case c = {
        .suite = b->suite, .spec = spec, .target = target, .programs = &b->programs};
    struct arms arms = {0};
    struct lc_error why;

    if (case_is_finished(b, &c)) {
        message_print(b, "%s on %s: measured before", spec->name, target->spec->name);
        return each_arm(b, &c, arm_end, err) ? 0 : -1;
    }
    if (lc_case_prepare(&c, b->work, b->say, &why) < 0) {
        b->failures++;
        message_print(b, "%s", why.text);
        return lc_bench_unusable(b, &c, why.text, err);
    }
    int rc = arms_open(b, &arms, &c, err);
    if (rc == 0)
        rc = run_widths(b, &c, &arms, err);
    arms_close(&arms);
    return rc;
}

static int run_target(struct lc_bench *b, const struct lc_picks *picks, unsigned number,
                      struct lc_error *err)
{
    const struct lc_suite_target *spec = &b->suite->targets[number];
    struct lc_target target;
    struct lc_error why;
    int rc = 0;

    if (!lc_picks_has_target(picks, number))
        return 0;
    if (lc_target_open(&target, spec, &b->programs, b->work, &why) < 0) {
        b->failures++;
        message_print(b, "%s", why.text);
        return lc_bench_lost_target(b, picks, number, why.text, err);
    }
    for (unsigned i = 0; i < b->suite->cases_count && rc == 0 && !lc_interrupted(); i++)
        if (lc_picks_has(picks, i, number))
            rc = run_case(b, &b->suite->cases[i], &target, err);
    lc_target_close(&target);
    return rc;
}

/* What 'loadcast run' learns of disks and launchers is kept in the store; the user's own must not
 * learn from slow disks that are none. */
static void store_set(const struct lc_bench *b)
{
    char store[PATH_MAX];

    if (snprintf(store, sizeof(store), "%s/store", b->work) < (int)sizeof(store))
        setenv("LOADCAST_STORE", store, 1);
}

long lc_bench_run(struct lc_bench *b, struct lc_error *err)
{
    const struct lc_suite *s = b->suite;
    struct lc_picks picks;
    int rc = 0;

    if (lc_programs_find(&b->programs, err) < 0 || lc_picks_make(&picks, s, b->pick, err) < 0)
        return -1;
    lc_facts_find(&b->facts);
    store_set(b);
    b->runs_planned = lc_picks_runs(&picks, s);
    lc_progress_begin(&b->bar, "bench", b->runs_planned);
    for (unsigned i = 0; i < s->targets_count && rc == 0 && !lc_interrupted(); i++)
        rc = run_target(b, &picks, i, err);
    lc_progress_end(&b->bar);
    lc_picks_free(&picks);
    return rc < 0 ? -1 : b->failures;
}
