/* SPDX-License-Identifier: MIT */
/* regressions.c - what became slower and has stayed so, over all targets */
#include "report/regressions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/words.h"
#include "util/clock.h"

static int points_compare(const struct lc_report_point *a, const struct lc_report_point *b)
{
    double x = a->slowdown.ratio, y = b->slowdown.ratio;

    return x != y ? (x < y) - (x > y) : (a->index > b->index) - (a->index < b->index);
}

static int by_series(const void *a, const void *b)
{
    const struct lc_regression *x = a, *y = b;

    return points_compare(x->point, y->point);
}

static int by_point(const void *a, const void *b)
{
    const struct lc_report_point *x = *(const struct lc_report_point *const *)a,
                                 *y = *(const struct lc_report_point *const *)b;

    return points_compare(x, y);
}

static void ranks_add(struct lc_regression *one, long ranks)
{
    size_t len = strlen(one->ranks);

    if (len + 24 < sizeof(one->ranks))
        snprintf(one->ranks + len, sizeof(one->ranks) - len, "%s%ld", len ? ", " : "", ranks);
    else if (one->ranks[len - 1] != '.')
        strcat(one->ranks, " ...");
}

static void series_add(struct lc_regressions *out, const struct lc_view *view, size_t from,
                       size_t count)
{
    struct lc_regression one = {0};

    for (size_t i = from; i < from + count; i++)
        if (view->point[i]->slowdown.since) {
            one.point = view->point[i]; /* points of a series are ordered by ranks */
            ranks_add(&one, view->point[i]->ranks);
            out->point[out->points++] = view->point[i];
        }
    if (one.point)
        out->series[out->count++] = one;
}

int lc_regressions_find(const struct lc_report *r, struct lc_regressions *out)
{
    *out = (struct lc_regressions){.series = calloc(r->points + 1, sizeof(*out->series)),
                                   .point = calloc(r->points + 1, sizeof(*out->point))};
    if (!out->series || !out->point)
        return -1;
    for (size_t v = 0; v < r->views; v++)
        for (size_t i = 0, n; i < r->view[v].points; i += n) {
            n = lc_view_series(&r->view[v], i);
            series_add(out, &r->view[v], i, n);
        }
    qsort(out->series, out->count, sizeof(*out->series), by_series);
    qsort(out->point, out->points, sizeof(*out->point), by_point);
    return 0;
}

void lc_regressions_free(struct lc_regressions *r)
{
    free(r->series);
    free(r->point);
}

/* How many series of a target could have become slower. */
static size_t series_of(const struct lc_report *r, const char *target)
{
    size_t found = 0;

    for (size_t v = 0; v < r->views; v++)
        for (size_t i = 0, n; i < r->view[v].points; i += n) {
            n = lc_view_series(&r->view[v], i);
            bool has_value = false;
            for (size_t k = i; k < i + n; k++)
                has_value = has_value || !isnan(r->view[v].point[k]->median_s);
            found += has_value && r->view[v].point[i]->target == target;
        }
    return found;
}

static void target_describe(const struct lc_report *r, const struct lc_regressions *all,
                            size_t first, void (*tell)(void *arg, const char *sentence), void *arg)
{
    const struct lc_report_point *worst = all->series[first].point;
    size_t slower = 0;
    char day[32], text[400];

    for (size_t i = first; i < all->count; i++)
        slower += all->series[i].point->target == worst->target;
    lc_clock_iso(day, sizeof(day), (uint64_t)worst->slowdown.since->started_ns);
    snprintf(text, sizeof(text),
             "Slower than before on %s: %zu of %zu series, by %s%.0f %%, since %.10s.",
             lc_words_short(worst->target).s, slower, series_of(r, worst->target),
             slower > 1 ? "up to " : "", (worst->slowdown.ratio - 1) * 100, day);
    tell(arg, text);
}

void lc_regressions_describe(const struct lc_report *report, const struct lc_regressions *all,
                             void (*tell)(void *arg, const char *sentence), void *arg)
{
    for (size_t i = 0; i < all->count; i++) {
        size_t first = 0;
        while (all->series[first].point->target != all->series[i].point->target)
            first++;
        if (first == i)
            target_describe(report, all, i, tell, arg);
    }
}
