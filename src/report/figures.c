/* SPDX-License-Identifier: MIT */
/* figures.c - the diagrams of a report, except those over time */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/arm_table.h"
#include "report/drawing.h"
#include "report/words.h"

void lc_drawing_finish(struct lc_drawing *d, struct lc_figure *f)
{
    if (!lc_figure_is_empty(f))
        d->fn(d->arg, f);
    lc_figure_free(f);
    free(f);
}

struct lc_figure *lc_drawing_new(const char *kind, const char *title, int target)
{
    struct lc_figure *f = calloc(1, sizeof(*f));

    if (f) {
        f->kind = kind;
        f->title = title;
        f->target = target;
        f->unit_x = f->unit_y = "";
    }
    return f;
}

static int colour_in(const struct lc_drawing *d, const char *target)
{
    for (size_t i = 0; i < d->targets.count; i++)
        if (d->targets.name[i] == target)
            return d->targets.colour[i];
    return 0;
}

/* Plain and Loadcast have the colour of their target, other arms the next ones. */
static int colour_shift(const char *with)
{
    static const char *const others[] = {"copy", "squashfs", "loadcast-libs", "spindle"};

    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strcmp(others[i], with) == 0)
            return (int)i + 1;
    return 0;
}

struct lc_series *lc_drawing_series(const struct lc_drawing *d, struct lc_figure *f,
                                    const struct lc_report_point *p)
{
    return lc_figure_series(f, p->target, p->with,
                            (colour_in(d, p->target) + colour_shift(p->with)) % LC_COLOURS);
}

/* Draws a value of every point, what(p) with its band, over the number of ranks. */
static void ranks_draw(struct lc_drawing *d, struct lc_figure *f,
                       struct lc_figure_mark (*what)(const struct lc_report_point *))
{
    f->x = LC_AXIS_RANKS;
    f->unit_x = "ranks";
    for (size_t i = 0; i < d->view->points; i++) {
        const struct lc_report_point *p = d->view->point[i];
        struct lc_figure_mark mark = what(p);
        mark.x = (double)p->ranks;
        mark.point = p;
        if (!p->is_twin && !isnan(mark.y))
            lc_series_add(lc_drawing_series(d, f, p), mark);
    }
    lc_drawing_finish(d, f);
}

static struct lc_figure_mark total_of(const struct lc_report_point *p)
{
    return (struct lc_figure_mark){.y = p->median_s, .low = p->best_s, .high = p->worst_s};
}

static struct lc_figure_mark operations_of(const struct lc_report_point *p)
{
    return (struct lc_figure_mark){.y = p->side[LC_SIDE_OPERATIONS], .low = NAN, .high = NAN};
}

static struct lc_figure_mark operations_per_of(const struct lc_report_point *p)
{
    return (struct lc_figure_mark){.y = p->side[LC_SIDE_OPERATIONS_PER], .low = NAN, .high = NAN};
}

static struct lc_figure_mark bystander_of(const struct lc_report_point *p)
{
    bool is_of_server = !isnan(p->side[LC_SIDE_BYSTANDER_SERVER]);

    return (struct lc_figure_mark){.y = lc_point_bystander(p),
                                   .low = is_of_server ? NAN : p->side[LC_SIDE_BYSTANDER_IDLE],
                                   .high = NAN};
}

static void scaling_draw(struct lc_drawing *d)
{
    struct lc_figure *f = lc_drawing_new("scaling", "Time until the last rank is ready", -1);

    if (!f)
        return;
    f->unit_y = "time";
    snprintf(
        f->note, sizeof(f->note),
        "Median of the repetitions, check and staging included; the band reaches from the best "
        "to the worst repetition. Both axes are logarithmic.");
    ranks_draw(d, f, total_of);
}

static void operations_draw(struct lc_drawing *d)
{
    struct lc_figure *f =
        lc_drawing_new("operations", "Requests to the file system, whole job", -1);

    if (!f)
        return;
    f->y = LC_AXIS_LOG0;
    f->in_counts = true;
    f->unit_y = "requests";
    snprintf(f->note, sizeof(f->note),
             "Counted in a run of its own, the check's requests included.");
    ranks_draw(d, f, operations_of);
}

static void draw_operations_per(struct lc_drawing *d)
{
    struct lc_figure *f =
        lc_drawing_new("operations-per-rank", "Requests to the file system, per rank", -1);

    if (!f)
        return;
    f->y = LC_AXIS_LOG0;
    f->in_counts = true;
    f->unit_y = "requests per rank";
    snprintf(f->note, sizeof(f->note),
             "The whole job's requests, over its ranks. With Loadcast they are those of the one "
             "check.");
    ranks_draw(d, f, operations_per_of);
}

static void bystander_draw(struct lc_drawing *d)
{
    struct lc_figure *f = lc_drawing_new("bystander", "What the storm does to others", -1);

    if (!f)
        return;
    f->unit_y = "time of one stat";
    snprintf(f->note, sizeof(f->note),
             "How long another user's stat on the same file system takes meanwhile (95 of 100 are "
             "faster); on a stormfs: takes at the server.");
    ranks_draw(d, f, bystander_of);
}

/* Stacks the segments of one bar; 'at' is its place on the axis. */
static void bar_stack(struct lc_figure *f, const struct lc_report_point *p, size_t at)
{
    double sum = 0;

    for (int part = 0; part < LC_PARTS; part++) {
        double s = p->part_s[part];
        if (isnan(s) || s < p->median_s / 1000) /* too thin to be seen */
            continue;
        struct lc_series *piece = lc_figure_series(f, lc_part_name((enum lc_part)part), "", part);
        if (piece)
            piece->look = LC_LOOK_BAR;
        lc_series_add(piece, (struct lc_figure_mark){
                                 .x = (double)at, .y = s, .low = sum, .high = sum + s, .point = p});
        sum += s;
    }
}

static void name_add(struct lc_figure *f, const char *text)
{
    if (f->names < LC_FIGURE_NAMES)
        f->name[f->names++] = strdup(text);
}

/* The bars of all arms at one width, plain first. */
static void width_draw(const struct lc_drawing *d, struct lc_figure *f, const char *target,
                       long ranks)
{
    char name[64];

    for (int others = 0; others < 2; others++)
        for (size_t i = 0; i < d->view->points; i++) {
            const struct lc_report_point *p = d->view->point[i];
            if (p->target != target || p->ranks != ranks || p->is_twin || isnan(p->median_s) ||
                (strcmp(p->with, "plain") != 0) != others)
                continue;
            snprintf(name, sizeof(name), "%ld %.40s", ranks, lc_arm_words(p->with));
            bar_stack(f, p, f->names);
            name_add(f, name);
        }
}

static void phases_draw(struct lc_drawing *d, size_t target)
{
    struct lc_figure *f = lc_drawing_new("phases", "Where the last rank's time goes", (int)target);
    struct lc_breadth width[LC_DRAWING_WIDTHS];
    size_t first,
        n = lc_view_widths(d->view, d->targets.name[target], width, LC_DRAWING_WIDTHS, &first);

    if (!f)
        return;
    f->x = LC_AXIS_NAMES;
    f->y = LC_AXIS_LINEAR;
    f->unit_x = "ranks";
    f->unit_y = "time";
    snprintf(
        f->note, sizeof(f->note),
        "One bar for each arm. Check and staging (unpacking, mounting) are part of the total.");
    for (size_t part = 0; part < LC_PARTS; part++) /* in the order they happen */
        lc_figure_series(f, lc_part_name((enum lc_part)part), "", (int)part);
    for (size_t i = 0; i < n; i++) {
        long ranks = width[i].plain ? width[i].plain->ranks : width[i].loadcast->ranks;
        width_draw(d, f, d->targets.name[target], ranks);
        if (i + 1 < n)
            name_add(f, "");
    }
    lc_drawing_finish(d, f);
}

/* The widest point of a series that has a value, or NULL. */
const struct lc_report_point *lc_drawing_widest(const struct lc_view *view, size_t from,
                                                size_t count)
{
    for (size_t i = from + count; i-- > from;)
        if (!view->point[i]->is_twin && !isnan(view->point[i]->median_s))
            return view->point[i];
    return NULL;
}

/* The same point under several names on the x axis. */
static void variant_add(const struct lc_drawing *d, struct lc_figure *f,
                        const struct lc_report_point *like, const struct lc_report_point *is,
                        size_t at)
{
    struct lc_figure_mark mark;

    if (!is)
        return;
    mark = total_of(is);
    mark.x = (double)at;
    mark.point = is;
    lc_series_add(lc_drawing_series(d, f, like), mark);
}

static void caches_draw(struct lc_drawing *d)
{
    struct lc_figure *f = lc_drawing_new("caches", "Cold against warm", -1);
    bool both = false;
    long ranks = 0;

    if (!f)
        return;
    f->x = LC_AXIS_NAMES;
    f->unit_y = "time";
    name_add(f, "cold");
    name_add(f, "warm");
    for (size_t i = 0, n; i < d->view->points; i += n) {
        n = lc_view_series(d->view, i);
        const struct lc_report_point *p = lc_drawing_widest(d->view, i, n);
        const struct lc_report_point *cold =
            p ? lc_report_find(d->report, p, NULL, NULL, "cold") : NULL;
        const struct lc_report_point *warm =
            p ? lc_report_find(d->report, p, NULL, NULL, "warm") : NULL;
        if (!cold || !warm)
            continue;
        both = true;
        ranks = p->ranks > ranks ? p->ranks : ranks;
        variant_add(d, f, p, cold, 0);
        variant_add(d, f, p, warm, 1);
    }
    snprintf(f->note, sizeof(f->note), "At the largest width of each target (up to %ld ranks).",
             ranks);
    if (!both)
        f->count = 0;
    lc_drawing_finish(d, f);
}

/* The order of modes on the x axis: from many separate files to a single one. */
static int by_mode(const void *a, const void *b)
{
    static const char *const order[] = {
        "pyMPI",         "mpi4py",        "python-import",     "cloadtest",
        "cloadtest-mpi", "pynamic-pyMPI", "pynamic-sdb-pyMPI", "pynamic-bigexe"};
    size_t at[2] = {0, 0};
    const char *name[2] = {*(const char *const *)a, *(const char *const *)b};

    for (int i = 0; i < 2; i++)
        while (at[i] < sizeof(order) / sizeof(*order) && strcmp(name[i], order[at[i]]) != 0)
            at[i]++;
    return at[0] != at[1] ? (at[0] > at[1]) - (at[0] < at[1]) : strcmp(name[0], name[1]);
}

static void modes_draw(struct lc_drawing *d)
{
    struct lc_figure *f = lc_drawing_new("modes", "Linked against imported", -1);
    const char *mode[LC_FIGURE_NAMES];
    size_t modes = 0;

    if (!f)
        return;
    f->x = LC_AXIS_NAMES;
    f->unit_y = "time";
    for (size_t v = 0; v < d->report->views && modes < LC_FIGURE_NAMES; v++)
        if (d->report->view[v].name == d->view->name && d->report->view[v].cache == d->view->cache)
            mode[modes++] = d->report->view[v].mode;
    qsort(mode, modes, sizeof(*mode), by_mode);
    for (size_t m = 0; m < modes; m++)
        name_add(f, lc_words_short(lc_mode_words(mode[m])).s);
    for (size_t i = 0, n; modes > 1 && i < d->view->points; i += n) {
        n = lc_view_series(d->view, i);
        const struct lc_report_point *p = lc_drawing_widest(d->view, i, n);
        for (size_t m = 0; p && m < modes; m++)
            variant_add(d, f, p, lc_report_find(d->report, p, mode[m], NULL, NULL), m);
    }
    snprintf(
        f->note, sizeof(f->note),
        "The same libraries imported one by one, linked into the program, or in one executable, "
        "at the largest width.");
    lc_drawing_finish(d, f);
}

void lc_figures_of(const struct lc_report *report, const struct lc_view *view, lc_figure_fn *fn,
                   void *arg)
{
    struct lc_drawing d = {report, view, lc_view_targets(report, view), fn, arg};

    scaling_draw(&d);
    for (size_t t = 0; t < d.targets.count; t++)
        phases_draw(&d, t);
    operations_draw(&d);
    draw_operations_per(&d);
    bystander_draw(&d);
    for (size_t t = 0; t < d.targets.count; t++)
        lc_draw_ready(&d, t);
    caches_draw(&d);
    modes_draw(&d);
    for (size_t t = 0; t < d.targets.count; t++)
        lc_draw_history(&d, t);
    for (size_t t = 0; t < d.targets.count; t++)
        lc_draw_hours(&d, t);
}
