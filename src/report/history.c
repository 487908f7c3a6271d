/* SPDX-License-Identifier: MIT */
/* history.c - outliers and slow-downs in the history of a point */
#include "report/history.h"

#include <math.h>
#include <stdlib.h>

enum { AROUND = 7 }; /* runs on each side of one that may be an outlier */

/* How many runs before and after a change are compared. A recent change has only few runs after it:
 * at least NEWEST are needed, and then more runs before it are used, so that the test is as strong.
 */
enum { WINDOW = 10, NEWEST = 5, LONG = 2 * WINDOW };

/* A run is an outlier if its distance from the median of the runs around it is larger than both:
 * this many standard deviations (estimated by the median absolute deviation), and a quarter of the
 * median. The latter matters on quiet machines, where deviations are tiny. */
static const double OUTLIER_SIGMAS = 4, OUTLIER_SHARE = 0.25;

/* A change is reported if the p of a rank test is at most this, and the median rose by this factor.
 */
static const double CHANGE_P = 0.0005, CHANGE_RATIO = 1.15;

/* The runs that have a value, ordered by time. */
struct valued {
    struct lc_report_run **run;
    size_t n;
};

static struct valued runs_with_value(const struct lc_report_point *point)
{
    struct valued v = {calloc(point->runs + 1, sizeof(*v.run)), 0};

    for (size_t i = 0; v.run && i < point->runs; i++)
        if (!isnan(point->run[i]->total_s))
            v.run[v.n++] = point->run[i];
    return v;
}

static void values_collect(const struct valued *v, size_t from, size_t to, struct lc_numbers *out)
{
    out->n = 0;
    for (size_t i = from; i < to; i++)
        lc_numbers_add(out, v->run[i]->total_s);
    lc_numbers_sort(out);
}

static void outliers_mark(const struct valued *v, struct lc_numbers *room)
{
    for (size_t i = 0; v->n >= 5 && i < v->n; i++) {
        size_t from = i > AROUND ? i - AROUND : 0,
               to = i + AROUND + 1 < v->n ? i + AROUND + 1 : v->n;
        values_collect(v, from, to, room);
        double median = lc_median(room), away = fabs(v->run[i]->total_s - median);
        for (size_t k = 0; k < room->n; k++)
            room->v[k] = fabs(room->v[k] - median);
        lc_numbers_sort(room);
        v->run[i]->is_outlier =
            away > OUTLIER_SHARE * median && away > OUTLIER_SIGMAS * 1.4826 * lc_median(room);
    }
}

static size_t size_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool test_is_slower(const struct lc_rank_test *t)
{
    return t->effect > 0 && t->ratio >= CHANGE_RATIO && t->p <= CHANGE_P;
}

/* The p of a change to slower at run i; 1 if there is none. */
static double change_at(const struct valued *v, size_t i, struct lc_numbers *a,
                        struct lc_numbers *b)
{
    size_t after = size_min(WINDOW, v->n - i), before = size_min(i, after < WINDOW ? LONG : WINDOW);

    values_collect(v, i - before, i, a);
    values_collect(v, i, i + after, b);
    struct lc_rank_test t = lc_rank_test(a, b);
    return test_is_slower(&t) ? t.p : 1;
}

/* The sum of the distances of runs from their median. */
static double distance_sum(const struct valued *v, size_t from, size_t to, struct lc_numbers *room)
{
    double sum = 0;

    values_collect(v, from, to, room);
    double median = lc_median(room);
    for (size_t i = 0; i < room->n; i++)
        sum += fabs(room->v[i] - median);
    return sum;
}

/* The exact place of a change near run i: where the distances from the medians before and after it
 * are smallest. */
static size_t place_of_change(const struct valued *v, size_t i, struct lc_numbers *room)
{
    size_t from = i - size_min(i, LONG), to = size_min(v->n, i + LONG), best = i;
    double nearest = INFINITY;

    for (size_t k = i - WINDOW + 1; k < i + WINDOW && k + NEWEST <= to; k++) {
        double all = distance_sum(v, from, k, room) + distance_sum(v, k, to, room);
        if (all < nearest) {
            nearest = all;
            best = k;
        }
    }
    return best;
}

/* Runs near a change see the same change: within a window only the one with the smallest p is
 * marked. */
static void changes_mark(const struct valued *v, struct lc_numbers *a, struct lc_numbers *b)
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

/* Finds the first change since which the point has stayed slower: compares the newest runs with
 * those before the change. */
static void slowdown_find(const struct valued *v, struct lc_report_point *point,
                          struct lc_numbers *a, struct lc_numbers *b)
{
    for (size_t i = NEWEST; i + NEWEST <= v->n; i++) {
        if (!v->run[i]->is_slower)
            continue;
        values_collect(v, i - size_min(i, LONG), i, a);
        values_collect(v, v->n - size_min(WINDOW, v->n - i), v->n, b);
        struct lc_rank_test t = lc_rank_test(a, b);
        if (!test_is_slower(&t))
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
    struct valued v = runs_with_value(point);
    struct lc_numbers a = {0}, b = {0};

    if (v.run) {
        outliers_mark(&v, &a);
        changes_mark(&v, &a, &b);
        slowdown_find(&v, point, &a, &b);
    }
    lc_numbers_free(&a);
    lc_numbers_free(&b);
    free(v.run);
}
