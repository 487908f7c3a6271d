/* SPDX-License-Identifier: MIT */
/* history.c - what stands out in the history of a point */
#include "report/history.h"

#include <math.h>
#include <stdlib.h>

enum { AROUND = 7 }; /* runs on each side of one that may be an outlier */

/* Runs before and after a change. The newest change has few runs after it yet: at least NEWEST, and
 * then more before it, so that the test can be as sure. */
enum { WINDOW = 10, NEWEST = 5, LONG = 2 * WINDOW };

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

static struct valued valued_runs(const struct lc_report_point *point)
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

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_slower(const struct lc_rank_test *t)
{
    return t->effect > 0 && t->ratio >= CHANGE_RATIO && t->p <= CHANGE_P;
}

/* How sure a change at run i is; 1 if it is none. */
static double change_at(const struct valued *v, size_t i, struct lc_numbers *a,
                        struct lc_numbers *b)
{
    size_t after = least(WINDOW, v->n - i), before = least(i, after < WINDOW ? LONG : WINDOW);

    collect(v, i - before, i, a);
    collect(v, i, i + after, b);
    struct lc_rank_test t = lc_rank_test(a, b);
    return is_slower(&t) ? t.p : 1;
}

/* How far the runs of a part are from its median, all together. */
static double distance(const struct valued *v, size_t from, size_t to, struct lc_numbers *room)
{
    double sum = 0;

    collect(v, from, to, room);
    double median = lc_median(room);
    for (size_t i = 0; i < room->n; i++)
        sum += fabs(room->v[i] - median);
    return sum;
}

/* Where exactly it was: the place near run i that divides the runs around it best. */
static size_t place_of_change(const struct valued *v, size_t i, struct lc_numbers *room)
{
    size_t from = i - least(i, LONG), to = least(v->n, i + LONG), best = i;
    double nearest = INFINITY;

    for (size_t k = i - WINDOW + 1; k < i + WINDOW && k + NEWEST <= to; k++) {
        double all = distance(v, from, k, room) + distance(v, k, to, room);
        if (all < nearest) {
            nearest = all;
            best = k;
        }
    }
    return best;
}

/* Neighbouring places see the same change: of those within a window the surest is marked. */
static void mark_changes(const struct valued *v, struct lc_numbers *a, struct lc_numbers *b)
{
    size_t best = 0;
    double best_p = 1;

    for (size_t i = WINDOW; i + NEWEST <= v->n; i++) {
        double p = change_at(v, i, a, b);
        if (p < best_p) {
            best = i;
            best_p = p;
        }
        if (best && i - best >= WINDOW) {
            v->run[place_of_change(v, best, a)]->is_slower = true;
            best = 0;
            best_p = 1;
        }
    }
    if (best)
        v->run[place_of_change(v, best, a)]->is_slower = true;
}

/* The first change since which it has stayed slower: its newest runs against those before it. */
static void find_slowdown(const struct valued *v, struct lc_report_point *point,
                          struct lc_numbers *a, struct lc_numbers *b)
{
    for (size_t i = NEWEST; i + NEWEST <= v->n; i++) {
        if (!v->run[i]->is_slower)
            continue;
        collect(v, i - least(i, LONG), i, a);
        collect(v, v->n - least(WINDOW, v->n - i), v->n, b);
        struct lc_rank_test t = lc_rank_test(a, b);
        if (!is_slower(&t))
            continue;
        point->slowdown = (struct lc_slowdown){.since = v->run[i],
                                               .before_s = lc_median(a),
                                               .now_s = lc_median(b),
                                               .ratio = t.ratio,
                                               .p = t.p,
                                               .runs_before = i,
                                               .runs_since = v->n - i};
        return;
    }
}

void lc_history_mark(struct lc_report_point *point)
{
    struct valued v = valued_runs(point);
    struct lc_numbers a = {0}, b = {0};

    if (v.run) {
        mark_outliers(&v, &a);
        mark_changes(&v, &a, &b);
        find_slowdown(&v, point, &a, &b);
    }
    lc_numbers_free(&a);
    lc_numbers_free(&b);
    free(v.run);
}
