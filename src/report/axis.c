/* SPDX-License-Identifier: MIT */
/* axis.c - axes of a diagram: from values to coordinates */
#include "report/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "report/words.h"
#include "util/clock.h"

static const double ZERO = 0.5; /* LC_AXIS_LOG0 shows values below one here */

static bool axis_is_log(enum lc_axis kind)
{
    return kind == LC_AXIS_LOG || kind == LC_AXIS_LOG0 || kind == LC_AXIS_RANKS;
}

static void range_include(struct lc_scale *s, double value)
{
    if (s->kind == LC_AXIS_LOG0 && value < 1)
        value = ZERO;
    if (isnan(value) || (axis_is_log(s->kind) && value <= 0))
        return;
    s->min = isnan(s->min) || value < s->min ? value : s->min;
    s->max = isnan(s->max) || value > s->max ? value : s->max;
}

static void range_include_marks(struct lc_scale *s, const struct lc_figure *f, bool is_y)
{
    for (size_t i = 0; i < f->count; i++)
        for (size_t m = 0; m < f->series[i].marks; m++) {
            const struct lc_figure_mark *mark = &f->series[i].mark[m];
            range_include(s, is_y ? mark->y : mark->x);
            if (is_y) {
                range_include(s, mark->low);
                range_include(s, mark->high);
            }
        }
}

/* Ticks at 1, 2 and 5 of every decade, or at decades only if there are many. */
static void ticks_log(struct lc_scale *s)
{
    double decades = log10(s->max / s->min);
    int step = decades > 8 ? 2 : 1;

    for (int e = (int)floor(log10(s->min)); e <= (int)ceil(log10(s->max)); e += step)
        for (int k = 0; k < (decades > 2.2 ? 1 : 3); k++) {
            double at = pow(10, e) * (k == 0 ? 1 : k == 1 ? 2 : 5);
            if (at >= s->min * 0.999 && at <= s->max * 1.001 && s->ticks < LC_TICKS &&
                !(s->kind == LC_AXIS_LOG0 && at < 1))
                s->tick[s->ticks++] = at;
        }
    if (s->kind == LC_AXIS_LOG0 && s->min <= ZERO && s->ticks < LC_TICKS)
        s->tick[s->ticks++] = ZERO;
}

static void ticks_linear(struct lc_scale *s)
{
    double raw = (s->max - s->min) / 5, unit = pow(10, floor(log10(raw)));
    double step = raw / unit > 5 ? 10 * unit : raw / unit > 2 ? 5 * unit : 2 * unit;

    for (double at = ceil(s->min / step) * step; at <= s->max * 1.0001 && s->ticks < LC_TICKS;
         at += step)
        s->tick[s->ticks++] = at;
}

static void ticks_ranks(struct lc_scale *s, const struct lc_figure *f)
{
    for (size_t i = 0; i < f->count; i++)
        for (size_t m = 0; m < f->series[i].marks; m++) {
            double at = f->series[i].mark[m].x;
            size_t k = 0;
            while (k < s->ticks && s->tick[k] != at)
                k++;
            if (k == s->ticks && s->ticks < 12)
                s->tick[s->ticks++] = at;
        }
}

static void ticks_even(struct lc_scale *s, double step)
{
    for (double at = s->min; at <= s->max + step / 100 && s->ticks < LC_TICKS; at += step)
        s->tick[s->ticks++] = at;
}

/* Widens the range, so that the outermost values keep a distance from the edge. */
static void range_widen(struct lc_scale *s)
{
    if (axis_is_log(s->kind)) {
        double by = s->kind == LC_AXIS_RANKS ? 1.25 : s->max / s->min < 2 ? 1.5 : 1.2;
        s->min /= by;
        s->max *= by;
    } else if (s->kind == LC_AXIS_TIME) {
        double by = (s->max - s->min) * 0.03 + 60;
        s->min -= by;
        s->max += by;
    } else if (s->kind == LC_AXIS_LINEAR) {
        s->min = 0;
        s->max = s->max > 0 ? s->max * 1.08 : 1;
    }
}

void lc_scale_fit(struct lc_scale *s, const struct lc_figure *f, bool is_y)
{
    s->kind = is_y ? f->y : f->x;
    s->min = s->max = NAN;
    s->ticks = 0;
    range_include_marks(s, f, is_y);
    if (isnan(s->min))
        s->min = s->max = 1;
    if (s->kind == LC_AXIS_SHARE || s->kind == LC_AXIS_HOURS) {
        s->min = 0;
        s->max = s->kind == LC_AXIS_SHARE ? 1 : 24;
    } else if (s->kind == LC_AXIS_NAMES) {
        s->min = -0.6;
        s->max = (double)f->names - 0.4;
    }
    range_widen(s);
    if (s->kind == LC_AXIS_RANKS)
        ticks_ranks(s, f);
    else if (axis_is_log(s->kind))
        ticks_log(s);
    else if (s->kind == LC_AXIS_LINEAR)
        ticks_linear(s);
    else if (s->kind == LC_AXIS_TIME)
        ticks_even(s, (s->max - s->min) / 3);
    else if (s->kind == LC_AXIS_SHARE)
        ticks_even(s, 0.25);
    else if (s->kind == LC_AXIS_HOURS)
        ticks_even(s, 4);
    else
        for (size_t i = 0; i < f->names && i < LC_TICKS; i++)
            s->tick[s->ticks++] = (double)i;
}

double lc_scale_at(const struct lc_scale *s, double value)
{
    double share;

    if (s->kind == LC_AXIS_LOG0 && value < 1)
        value = ZERO;
    if (axis_is_log(s->kind))
        share = log(value / s->min) / log(s->max / s->min);
    else
        share = (value - s->min) / (s->max - s->min);
    return s->from + share * (s->to - s->from);
}

struct lc_text lc_short_seconds(double s)
{
    struct lc_text t;

    if (s == 0)
        snprintf(t.s, sizeof(t.s), "0");
    else if (s < 0.9995e-3)
        snprintf(t.s, sizeof(t.s), "%.3g µs", s * 1e6);
    else if (s < 0.9995)
        snprintf(t.s, sizeof(t.s), "%.3g ms", s * 1e3);
    else if (s < 999.5)
        snprintf(t.s, sizeof(t.s), "%.3g s", s);
    else
        return lc_human_seconds(s);
    return t;
}

struct lc_text lc_scale_label(const struct lc_scale *s, const struct lc_figure *f, bool is_y,
                              double value)
{
    struct lc_text t = {""};
    char iso[32];

    switch (s->kind) {
    case LC_AXIS_NAMES:
        return value >= 0 && value < (double)f->names ? lc_words_short(f->name[(size_t)value]) : t;
    case LC_AXIS_SHARE:
        snprintf(t.s, sizeof(t.s), "%.0f %%", value * 100);
        return t;
    case LC_AXIS_TIME:
        lc_clock_iso(iso, sizeof(iso), (uint64_t)value * 1000000000);
        if (s->max - s->min > 4 * 86400)
            snprintf(t.s, sizeof(t.s), "%.10s", iso);
        else
            snprintf(t.s, sizeof(t.s), "%.5s %.5s", iso + 5, iso + 11);
        return t;
    case LC_AXIS_RANKS:
    case LC_AXIS_HOURS:
        return lc_human_count((uint64_t)value);
    default:
        if (is_y ? f->in_counts : false)
            return lc_human_count(value < 1 ? 0 : (uint64_t)(value + 0.5));
        return lc_short_seconds(value);
    }
}
