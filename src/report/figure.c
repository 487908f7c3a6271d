/* SPDX-License-Identifier: MIT */
/* figure.c - a diagram as data: series and marks */
#include "report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lc_series *lc_figure_series(struct lc_figure *f, const char *target, const char *with,
                                   int colour)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->series[i].target, target) == 0 && strcmp(f->series[i].with, with) == 0)
            return &f->series[i];
    if (f->count == LC_FIGURE_SERIES) {
        f->left_out++;
        return NULL;
    }
    struct lc_series *s = &f->series[f->count++];
    *s = (struct lc_series){
        .target = target, .with = with, .colour = colour, .is_plain = strcmp(with, "plain") == 0};
    return s;
}

void lc_series_add(struct lc_series *s, struct lc_figure_mark mark)
{
    if (!s || isnan(mark.x) || isnan(mark.y))
        return;
    if (s->marks == s->room) {
        size_t more = s->room ? s->room * 2 : 8;
        struct lc_figure_mark *bigger = realloc(s->mark, more * sizeof(*bigger));
        if (!bigger)
            return;
        s->mark = bigger;
        s->room = more;
    }
    s->mark[s->marks++] = mark;
}

void lc_figure_free(struct lc_figure *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->series[i].mark);
    for (size_t i = 0; i < f->names; i++)
        free(f->name[i]);
}

bool lc_figure_is_empty(const struct lc_figure *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->series[i].marks)
            return false;
    return true;
}

static int colour_of(const struct lc_report *r, const char *target)
{
    const char *seen[64];
    size_t n = 0, k;

    for (size_t i = 0; i < r->points && n < 64; i++) {
        for (k = 0; k < n && seen[k] != r->point[i]->target; k++)
            ;
        if (k == n)
            seen[n++] = r->point[i]->target;
        if (r->point[i]->target == target)
            return (int)(k % LC_COLOURS);
    }
    return 0;
}

/* How many times faster Loadcast is at the largest number of ranks; 0 if unknown. */
static double gain_of(const struct lc_report *r, const struct lc_view *view, const char *target)
{
    double gain = 0;

    for (size_t i = 0; i < view->points; i++) {
        const struct lc_report_point *p = view->point[i];
        if (p->target != target || strcmp(p->with, "plain") != 0 || isnan(p->median_s))
            continue;
        const struct lc_report_point *loadcast = lc_report_find(r, p, NULL, "loadcast", NULL);
        gain = loadcast ? p->median_s / loadcast->median_s : gain;
    }
    return gain;
}

struct lc_targets lc_view_targets(const struct lc_report *r, const struct lc_view *view)
{
    struct lc_targets t = {.count = 0};
    double best = -1;

    for (size_t i = 0; i < view->points && t.count < LC_VIEW_TARGETS; i++) {
        const char *name = view->point[i]->target;
        if (t.count && t.name[t.count - 1] == name)
            continue;
        double gain = gain_of(r, view, name);
        if (gain > best) {
            best = gain;
            t.first = t.count;
        }
        t.colour[t.count] = colour_of(r, name);
        t.name[t.count++] = name;
    }
    return t;
}

static size_t runs_of(const struct lc_breadth *w)
{
    return (w->plain ? w->plain->runs : 0) + (w->loadcast ? w->loadcast->runs : 0);
}

static long ranks_of(const struct lc_breadth *w)
{
    return w->plain ? w->plain->ranks : (w->loadcast ? w->loadcast->ranks : 0);
}

size_t lc_view_widths(const struct lc_view *view, const char *target, struct lc_breadth *out,
                      size_t most, size_t *first)
{
    size_t n = 0, k;

    for (size_t i = 0; i < view->points; i++) {
        const struct lc_report_point *p = view->point[i];
        if (p->target != target || p->is_twin)
            continue;
        for (k = 0; k < n && ranks_of(&out[k]) != p->ranks; k++)
            ;
        if (k == most)
            continue;
        if (k == n)
            out[n++] = (struct lc_breadth){0};
        if (strcmp(p->with, "plain") == 0)
            out[k].plain = p;
        else if (strcmp(p->with, "loadcast") == 0 || !out[k].loadcast)
            out[k].loadcast = p;
    }
    for (k = *first = 0; k < n; k++) {
        size_t runs = runs_of(&out[k]), best = runs_of(&out[*first]);
        /* small differences in the number of runs do not matter: some runs may have failed */
        if (runs * 10 >= best * 9 &&
            (runs > best * 10 / 9 || ranks_of(&out[k]) > ranks_of(&out[*first])))
            *first = k;
    }
    return n;
}
