/* SPDX-License-Identifier: MIT */
/* bench.c - the loops: cases, targets, widths, caches, repetitions, arms
 *
 * Widths increase. Within a width all cold runs come first, then the warm ones. The arms (plain,
 * Loadcast) alternate, and so does which is first, so that drift of the machine affects both alike.
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
            if (!lc_interrupted() && !lc_arm_is_settled(next) && lc_arm_run(next, round, err) < 0)
                return -1;
            lc_progress_update(&b->bar, b->runs_done);
        }
    for (size_t i = 0; i < arms; i++)
        if (lc_arm_end(&arm[i], err) < 0)
            return -1;
    return 0;
}

/* One case on one target at every width. 'unrecorded' is why there is no image; NULL: there is one.
 */
static int run_widths(struct lc_bench *b, struct lc_case *c, struct lc_loadcast_arm *loadcast,
                      const char *unrecorded, struct lc_error *err)
{
    const struct lc_suite *s = b->suite;
    struct lc_stop stop[2][2] = {{{0}}};

    for (unsigned k = 0; k < s->caches_count && unrecorded; k++)
        for (unsigned i = 0; i < s->with_count; i++)
            if (strcmp(s->with[i], "loadcast") == 0)
                lc_stop_set(&stop[k][i], LC_RUN_FAILED, unrecorded);

    for (size_t w = 0; w < c->spec->width_count; w++)
        for (unsigned k = 0; k < s->caches_count; k++) {
            struct lc_arm arm[2];
            for (unsigned i = 0; i < s->with_count; i++)
                lc_arm_set(&arm[i], b, c, strcmp(s->with[i], "loadcast") == 0 ? loadcast : NULL,
                           c->spec->widths[w], strcmp(s->caches[k], "cold") == 0, &stop[k][i]);
            int rc = lc_interrupted() ? 0 : run_block(b, arm, s->with_count, err);
            for (unsigned i = 0; i < s->with_count; i++)
                lc_arm_free(&arm[i]);
            if (lc_interrupted() || rc < 0)
                return lc_interrupted() ? 0 : -1;
        }
    return 0;
}

static bool wants_loadcast(const struct lc_suite *suite)
{
    for (unsigned i = 0; i < suite->with_count; i++)
        if (strcmp(suite->with[i], "loadcast") == 0)
            return true;
    return false;
}

/* A case that cannot be set up counts as one failure; the suite goes on. */
static int run_case(struct lc_bench *b, const struct lc_suite_case *spec, struct lc_target *target,
                    struct lc_error *err)
{
    struct lc_case c = {
        .suite = b->suite, .spec = spec, .target = target, .programs = &b->programs};
    struct lc_loadcast_arm loadcast = {0};
    struct lc_error why;
    int rc = 0;

    if (lc_case_prepare(&c, b->work, b->say, &why) < 0) {
        b->failures++;
        message_print(b, "%s", why.text);
        return lc_bench_unusable(b, &c, why.text, err);
    }
    if (wants_loadcast(b->suite)) {
        rc = lc_loadcast_arm_record(&loadcast, &c, b->work, &why);
        b->failures += rc < 0;
        if (rc < 0)
            message_print(b, "%s", why.text);
        else
            message_print(b, "%s on %s: recorded, %s in %s", spec->name, target->spec->name,
                          lc_human_bytes(loadcast.image_bytes).s,
                          lc_human_seconds(loadcast.record_s).s);
    }
    rc = run_widths(b, &c, &loadcast, rc < 0 ? why.text : NULL, err);
    lc_loadcast_arm_close(&loadcast);
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

long lc_bench_run(struct lc_bench *b, struct lc_error *err)
{
    const struct lc_suite *s = b->suite;
    struct lc_picks picks;
    int rc = 0;

    if (lc_programs_find(&b->programs, err) < 0 || lc_picks_make(&picks, s, b->pick, err) < 0)
        return -1;
    lc_facts_find(&b->facts);
    b->runs_planned = lc_picks_runs(&picks, s);
    lc_progress_begin(&b->bar, "bench", b->runs_planned);
    for (unsigned i = 0; i < s->targets_count && rc == 0 && !lc_interrupted(); i++)
        rc = run_target(b, &picks, i, err);
    lc_progress_end(&b->bar);
    lc_picks_free(&picks);
    return rc < 0 ? -1 : b->failures;
}
