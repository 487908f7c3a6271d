/* SPDX-License-Identifier: MIT */
/* figure.h - a diagram as data: for src/report and src/predict */
#ifndef LC_REPORT_FIGURE_H
#define LC_REPORT_FIGURE_H

#include "report/report.h"

enum lc_axis {
    LC_AXIS_LOG,
    LC_AXIS_LOG0,   /* logarithmic, with a place for zero below one */
    LC_AXIS_RANKS,  /* logarithmic to the base 2; ticks where there are values */
    LC_AXIS_SHARE,  /* 0 to 1, shown as percent */
    LC_AXIS_HOURS,  /* 0 to 24 */
    LC_AXIS_TIME,   /* seconds since 1970 */
    LC_AXIS_NAMES,  /* 0, 1, 2, ...: names[] */
    LC_AXIS_LINEAR, /* from zero */
};

struct lc_figure_mark {
    double x, y;
    double low, high;                    /* a band, or the ends of a segment of a bar; NAN: none */
    const struct lc_report_point *point; /* NULL if the mark is of a run */
    const struct lc_report_run *run;     /* NULL if the mark is of a point, or of neither */
};

enum lc_series_look { LC_LOOK_LINE, LC_LOOK_DOTS, LC_LOOK_STEPS, LC_LOOK_BAR };

struct lc_series {
    const char *target, *with; /* together the name of the series; 'with' is "" for parts of bars */
    int colour;                /* of its target, or of its part */
    bool is_plain;             /* without Loadcast: drawn hollow and dashed */
    enum lc_series_look look;
    struct lc_figure_mark *mark;
    size_t marks, room;
};

enum { LC_FIGURE_SERIES = 24, LC_FIGURE_NAMES = 64 };

struct lc_figure {
    const char *kind;  /* "scaling": identifies it in tests and in the script */
    const char *title; /* for people */
    const char *unit_x, *unit_y;
    char note[400]; /* what the diagram shows, and how it was made */
    int target;     /* the only target it shows; -1: all */
    enum lc_axis x, y;
    bool in_counts; /* y counts things; else seconds */
    char *name[LC_FIGURE_NAMES];
    size_t names;
    struct lc_series series[LC_FIGURE_SERIES];
    size_t count;
    size_t left_out; /* how many series were left out for lack of room */
};

/* A target has the colour of its place among the targets of the report. */
enum { LC_COLOURS = 6 };

struct lc_series *lc_figure_series(struct lc_figure *figure, const char *target, const char *with,
                                   int colour);
void lc_series_add(struct lc_series *series, struct lc_figure_mark mark);
void lc_figure_free(struct lc_figure *figure);
bool lc_figure_is_empty(const struct lc_figure *figure);

/* Calls 'fn' with every figure of a view; each figure is freed after the call. */
typedef void lc_figure_fn(void *arg, const struct lc_figure *figure);
void lc_figures_of(const struct lc_report *report, const struct lc_view *view, lc_figure_fn *fn,
                   void *arg);

/* The targets of a view by name, at most LC_VIEW_TARGETS. The one to show first is the one on which
 * Loadcast gains most. */
enum { LC_VIEW_TARGETS = 12 };
struct lc_targets {
    const char *name[LC_VIEW_TARGETS];
    int colour[LC_VIEW_TARGETS];
    size_t count, first;
};
struct lc_targets lc_view_targets(const struct lc_report *report, const struct lc_view *view);

/* The width whose history says most: the one with most runs, then the widest; NULL if there are
 * none. Either of plain and loadcast may be NULL. */
struct lc_breadth {
    const struct lc_report_point *plain, *loadcast;
};
size_t lc_view_widths(const struct lc_view *view, const char *target, struct lc_breadth *out,
                      size_t most, size_t *first);

/* Appends the figure as SVG to 'out'. */
void lc_figure_svg(const struct lc_figure *figure, struct lc_buf *out);

#endif
