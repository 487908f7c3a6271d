/* SPDX-License-Identifier: MIT */
/* history.c - what stands out in the history of a point */
#include "report/history.h"

#include <math.h>
#include <stdlib.h>

enum { AROUND = 7, WINDOW = 10 }; /* runs on each side; runs before and after a change */

/* An outlier is farther from the median around it than this many times the usual distance (the
 * median absolute deviation, scaled to a standard deviation), and than a quarter of the median:
 * both, as quiet machines have tiny deviations. */
static const double OUTLIER_SIGMAS = 4, OUTLIER_SHARE = 0.25;

/* A change counts when a rank test is this sure, and the median rose by this factor. */
static const double CHANGE_P = 0.0005, CHANGE_RATIO = 1.15;

/* Runs with a value, by time. */
struct valued {
    struct lc_report_run **run;
    size_t n;
};

static struct valued valued_runs(const struct lc_point *point)
{
    struct valued v = {calloc(point->runs + 1, sizeof(*v.run)), 0};

    for (size_t i = 0; v.run && i < point->runs; i++)
        if (!isnan(point->run[i]->total_s))
            v.run[v.n++] = point->run[i];
    return v;
}

static void collect(const struct valued *v, size_t from, size_t to, struct lc_numbers *out)
{
    out->n = 0;
    for (size_t i = from; i < to; i++)
        lc_numbers_add(out, v->run[i]->total_s);
    lc_numbers_sort(out);
}

static void mark_outliers(const struct valued *v, struct lc_numbers *room)
{
    for (size_t i = 0; v->n >= 5 && i < v->n; i++) {
        size_t from = i > AROUND ? i - AROUND : 0,
               to = i + AROUND + 1 < v->n ? i + AROUND + 1 : v->n;
        collect(v, from, to, room);
        double median = lc_median(room), away = fabs(v->run[i]->total_s - median);
        for (size_t k = 0; k < room->n; k++)
            room->v[k] = fabs(room->v[k] - median);
        lc_numbers_sort(room);
        v->run[i]->is_outlier =
            away > OUTLIER_SHARE * median && away > OUTLIER_SIGMAS * 1.4826 * lc_median(room);
    }
}

/* How sure a change at run i is; 1 if it is none. */
static double change_at(const struct valued *v, size_t i, struct lc_numbers *a,
                        struct lc_numbers *b)
{
    collect(v, i - WINDOW, i, a);
    collect(v, i, i + WINDOW, b);
    struct lc_rank_test t = lc_rank_test(a, b);
    return t.effect > 0 && t.ratio >= CHANGE_RATIO && t.p <= CHANGE_P ? t.p : 1;
}

/* Neighbouring places see the same change: of those within a window the surest is marked. */
static void mark_changes(const struct valued *v, struct lc_numbers *a, struct lc_numbers *b)
{
    size_t best = 0;
    double best_p = 1;

    for (size_t i = WINDOW; i + WINDOW <= v->n; i++) {
        double p = change_at(v, i, a, b);
        if (p < best_p) {
            best = i;
            best_p = p;
        }
        if (best && i - best >= WINDOW) {
            v->run[best]->is_slower = true;
            best = 0;
            best_p = 1;
        }
    }
    if (best)
        v->run[best]->is_slower = true;
}

void lc_history_mark(struct lc_point *point)
{
    struct valued v = valued_runs(point);
    struct lc_numbers a = {0}, b = {0};

    if (v.run) {
        mark_outliers(&v, &a);
        mark_changes(&v, &a, &b);
    }
    lc_numbers_free(&a);
    lc_numbers_free(&b);
    free(v.run);
}
