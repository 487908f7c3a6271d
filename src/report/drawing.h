/* SPDX-License-Identifier: MIT */
/* drawing.h - what the files that draw figures share */
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

/* An empty figure; 'target' is an index into drawing->targets, -1: of all. NULL: out of memory. */
struct lc_figure *lc_drawing_new(const char *kind, const char *title, int target);
/* Give it to the caller if it shows anything; it is freed. */
void lc_drawing_hand_over(struct lc_drawing *d, struct lc_figure *f);

/* The series a point belongs to; its widest point that has a value, or NULL. */
struct lc_series *lc_drawing_series(const struct lc_drawing *d, struct lc_figure *f,
                                    const struct lc_report_point *p);
const struct lc_report_point *lc_drawing_widest(const struct lc_view *view, size_t from,
                                                size_t count);

/* figures_time.c */
void lc_draw_ready(struct lc_drawing *d, size_t target);
void lc_draw_history(struct lc_drawing *d, size_t target);
void lc_draw_hours(struct lc_drawing *d, size_t target);

#endif
