/* SPDX-License-Identifier: MIT */
/* axis.h - private to src/report: axes of a diagram: from values to coordinates */
#ifndef LC_REPORT_AXIS_H
#define LC_REPORT_AXIS_H

#include "report/figure.h"
#include "util/human.h"

enum { LC_TICKS = 40 };

struct lc_scale {
    enum lc_axis kind;
    double min, max; /* values at its ends */
    double from, to; /* coordinates of its ends */
    double tick[LC_TICKS];
    size_t ticks;
};

/* The scale that shows every mark of a figure, in x or in y. */
void lc_scale_fit(struct lc_scale *scale, const struct lc_figure *figure, bool is_y);

double lc_scale_at(const struct lc_scale *scale, double value);

/* The label of a tick: "16", "1 s", "50 %", "cold". */
struct lc_text lc_scale_label(const struct lc_scale *scale, const struct lc_figure *figure,
                              bool is_y, double value);

/* Seconds with as few digits as a tick needs: "200 ms", "1 s". */
struct lc_text lc_short_seconds(double s);

#endif
