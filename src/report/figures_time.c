/* SPDX-License-Identifier: MIT */
/* figures_time.c - diagrams over time: ranks becoming ready, runs over the months and the hours */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/drawing.h"

/* The most marks of one series that a drawn history shows: ordinary runs, and those that stand out.
 */
enum { HISTORY = 60, SPECIAL = 60 };

void lc_draw_ready(struct lc_drawing *d, size_t target)
{
    struct lc_figure *f =
        lc_drawing_new("ready", "How many ranks are ready, and when", (int)target);
    const char *name = d->targets.name[target];
    long ranks = 0;

    if (!f)
        return;
    f->y = LC_AXIS_SHARE;
    f->unit_x = "time since the job started";
    f->unit_y = "ranks that are ready";
    for (size_t i = 0, n; i < d->view->points; i += n) {
        n = lc_view_series(d->view, i);
        const struct lc_report_point *p = lc_drawing_widest(d->view, i, n);
        if (!p || p->target != name)
            continue;
        struct lc_series *s = lc_drawing_series(d, f, p);
        if (s)
            s->look = LC_LOOK_STEPS;
        ranks = p->ranks;
        for (size_t k = 0; k < p->ready.n; k++)
            lc_series_add(s, (struct lc_figure_mark){.x = p->ready.v[k],
                                                     .low = NAN,
                                                     .high = NAN,
                                                     .y = (double)(k + 1) / (double)p->ready.n,
                                                     .point = p});
    }
    snprintf(
        f->note, sizeof(f->note),
        "Raw samples of every rank of all repetitions at %ld rank%s; more than 101 are thinned "
        "out evenly.",
        ranks, ranks == 1 ? "" : "s");
    lc_drawing_finish(d, f);
}

static void history_add(struct lc_series *s, const struct lc_report_point *p)
{
    size_t step = p->runs / HISTORY + 1, specials = SPECIAL;

    for (size_t i = 0; i < p->runs; i++) {
        const struct lc_report_run *run = p->run[i];
        bool special = run->is_slower || run->is_outlier || isnan(run->total_s);
        special = special && (run->is_slower || specials > 0);
        specials -= special && specials > 0;
        /* If there are many runs, only every n-th and those that stand out are drawn. */
        if (special || (i % step == 0 && !isnan(run->total_s)))
            lc_series_add(s, (struct lc_figure_mark){.x = (double)run->started_ns / 1e9,
                                                     .y = isnan(run->total_s) ? -1 : run->total_s,
                                                     .low = NAN,
                                                     .high = NAN,
                                                     .run = run});
    }
}

/* A target's points at the width that matters most (lc_view_widths), plain and with Loadcast;
 * either may be NULL.
 */
static bool pair_find(const struct lc_drawing *d, size_t target,
                      const struct lc_report_point *both[2])
{
    struct lc_breadth width[LC_DRAWING_WIDTHS];
    size_t first,
        n = lc_view_widths(d->view, d->targets.name[target], width, LC_DRAWING_WIDTHS, &first);

    if (n == 0)
        return false;
    both[0] = width[first].plain;
    both[1] = width[first].loadcast;
    return true;
}

void lc_draw_history(struct lc_drawing *d, size_t target)
{
    struct lc_figure *f = lc_drawing_new("history", "History", (int)target);
    const struct lc_report_point *both[2];

    if (!f || !pair_find(d, target, both)) {
        free(f);
        return;
    }
    f->x = LC_AXIS_TIME;
    f->unit_y = "time";
    for (size_t k = 0; k < 2; k++)
        if (both[k]) {
            struct lc_series *s = lc_drawing_series(d, f, both[k]);
            if (s)
                s->look = LC_LOOK_DOTS;
            history_add(s, both[k]);
            snprintf(f->note, sizeof(f->note),
                     "Every run at %ld ranks. Ringed: far from its neighbours. A line down: slower "
                     "from here on. A cross at the top: no value (failed, timed out, stopped).",
                     both[k]->ranks);
        }
    lc_drawing_finish(d, f);
}

/* The hour of the day where the report is made: a machine's load follows its users' day. */
static int local_hour(uint64_t at_ns)
{
    time_t at = (time_t)(at_ns / 1000000000);
    struct tm day;

    return localtime_r(&at, &day) ? day.tm_hour : 0;
}

/* "hour (CET/CEST)": summer time has a name of its own. */
static const char *hours_unit(void)
{
    static char unit[64];

    tzset();
    bool has_summer = daylight && strcmp(tzname[0], tzname[1]) != 0;
    snprintf(unit, sizeof(unit), "hour (%.20s%s%.20s)", tzname[0], has_summer ? "/" : "",
             has_summer ? tzname[1] : "");
    return unit;
}

static void hours_add(struct lc_series *s, const struct lc_report_point *p)
{
    struct lc_numbers hour[24] = {{0}};

    for (size_t i = 0; i < p->runs; i++)
        lc_numbers_add(&hour[local_hour((uint64_t)p->run[i]->started_ns)], p->run[i]->total_s);
    for (int h = 0; h < 24; h++) {
        lc_numbers_sort(&hour[h]);
        lc_series_add(s, (struct lc_figure_mark){.x = h + 0.5,
                                                 .y = lc_median(&hour[h]),
                                                 .low = lc_numbers_quantile(&hour[h], 0.25),
                                                 .high = lc_numbers_quantile(&hour[h], 0.75),
                                                 .point = p});
        lc_numbers_free(&hour[h]);
    }
}

/* Are there runs at different hours of the day? */
static bool figure_has_hours(const struct lc_figure *f)
{
    unsigned seen = 0;

    for (size_t i = 0; i < f->count; i++)
        for (size_t m = 0; m < f->series[i].marks; m++)
            seen |= 1u << (int)f->series[i].mark[m].x;
    return __builtin_popcount(seen) >= 3;
}

void lc_draw_hours(struct lc_drawing *d, size_t target)
{
    struct lc_figure *f = lc_drawing_new("hours", "By the time of day", (int)target);
    const struct lc_report_point *both[2];

    if (!f || !pair_find(d, target, both)) {
        free(f);
        return;
    }
    f->x = LC_AXIS_HOURS;
    f->unit_x = hours_unit();
    f->unit_y = "time";
    for (size_t k = 0; k < 2; k++)
        if (both[k]) {
            hours_add(lc_drawing_series(d, f, both[k]), both[k]);
            snprintf(
                f->note, sizeof(f->note),
                "Median of the runs started in each hour at %ld ranks; the band holds the middle "
                "half.",
                both[k]->ranks);
        }
    if (!figure_has_hours(f)) {
        lc_figure_free(f);
        f->count = f->names = 0;
    }
    lc_drawing_finish(d, f);
}
