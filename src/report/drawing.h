/* SPDX-License-Identifier: MIT */
/* drawing.h - private to figures.c and figures_time.c: functions that build figures */
#ifndef LC_REPORT_DRAWING_H
#define LC_REPORT_DRAWING_H

#include "report/figure.h"

enum { LC_DRAWING_WIDTHS = 24 };

struct lc_drawing {
    const struct lc_report *report;
    const struct lc_view *view;
    struct lc_targets targets;
    lc_figure_fn *fn;
    void *arg;
};

/* An empty figure. 'target' is an index into drawing->targets, or -1 if it is about all targets.
 * NULL: out of memory. */
struct lc_figure *lc_drawing_new(const char *kind, const char *title, int target);
/* Passes the figure to the caller's function unless it is empty, then frees it. */
void lc_drawing_finish(struct lc_drawing *d, struct lc_figure *f);

/* lc_drawing_series: the series of a figure to which a point belongs. lc_drawing_widest: the point
 * with most ranks that has a value, or NULL. */
struct lc_series *lc_drawing_series(const struct lc_drawing *d, struct lc_figure *f,
                                    const struct lc_report_point *p);
const struct lc_report_point *lc_drawing_widest(const struct lc_view *view, size_t from,
                                                size_t count);

/* figures_time.c */
void lc_draw_ready(struct lc_drawing *d, size_t target);
void lc_draw_history(struct lc_drawing *d, size_t target);
void lc_draw_hours(struct lc_drawing *d, size_t target);

#endif
