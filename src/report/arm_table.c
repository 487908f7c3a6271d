/* SPDX-License-Identifier: MIT */
/* arm_table.c - what to tell users: the arms of one case on one target side by side */
#include "report/arm_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/words.h"
#include "util/human.h"

static const struct {
    const char *name, *words, *needs;
} known[] = {
    {"plain", "plain", "nothing"},
    {"copy", "copy", "memory for all of it, and that it runs wherever it lies"},
    {"squashfs", "squashfs", "FUSE and squashfuse on every node, or root to mount"},
    {"loadcast", "Loadcast", "no root, no FUSE, no daemon"},
    {"loadcast-libs", "Loadcast, libraries only", "no root, no FUSE, no daemon"},
    {"spindle", "Spindle", "its daemons on every node"},
};

const char *lc_arm_words(const char *with)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(known[i].name, with) == 0)
            return known[i].words;
    return with;
}

const char *lc_arm_needs(const char *with)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(known[i].name, with) == 0)
            return known[i].needs;
    return "";
}

static bool point_is_shown(const struct lc_report_point *p, const char *target)
{
    return p->target == target && !p->is_twin && !isnan(p->median_s);
}

static size_t arms_at(const struct lc_view *view, const char *target, long ranks)
{
    size_t count = 0;

    for (size_t i = 0; i < view->points; i++)
        count += point_is_shown(view->point[i], target) && view->point[i]->ranks == ranks;
    return count;
}

static int by_time(const void *a, const void *b)
{
    const struct lc_report_point *const *x = a, *const *y = b;

    return ((*x)->median_s > (*y)->median_s) - ((*x)->median_s < (*y)->median_s);
}

const char *lc_arm_reason(const struct lc_report_point *missing)
{
    return missing->runs > 0 ? missing->run[missing->runs - 1]->reason : "";
}

static void missing_add(struct lc_arm_table *table, const struct lc_report_point *p)
{
    for (size_t i = 0; i < table->rows; i++)
        if (table->row[i]->with == p->with)
            return; /* measured on another number of nodes */
    if (table->missings < LC_ARM_ROWS)
        table->missing[table->missings++] = p;
}

struct lc_arm_table lc_arm_table_make(const struct lc_view *view, const char *target)
{
    struct lc_arm_table table = {.rows = 0};

    for (size_t i = 0; i < view->points; i++)
        if (view->point[i]->ranks > table.ranks && arms_at(view, target, view->point[i]->ranks) > 1)
            table.ranks = view->point[i]->ranks;
    for (size_t i = 0; i < view->points && table.rows < LC_ARM_ROWS; i++)
        if (point_is_shown(view->point[i], target) && view->point[i]->ranks == table.ranks)
            table.row[table.rows++] = view->point[i];
    qsort(table.row, table.rows, sizeof(*table.row), by_time);
    for (size_t i = 0; i < view->points; i++) {
        const struct lc_report_point *p = view->point[i];
        if (p->target == target && p->ranks == table.ranks && isnan(p->median_s))
            missing_add(&table, p);
    }
    return table;
}

void lc_arm_table_busy(const struct lc_arm_table *t, struct lc_buf *out)
{
    const char *before = "Server busy: ";

    for (size_t i = 0; i < t->rows; i++) {
        double busy = t->row[i]->side[LC_SIDE_SERVER_BUSY],
               scaled = t->row[i]->side[LC_SIDE_SERVER_BUSY_ALL];
        if (isnan(busy))
            continue;
        lc_buf_printf(out, "%s%s %s", before, lc_words_short(lc_arm_words(t->row[i]->with)).s,
                      lc_human_seconds(busy).s);
        if (!isnan(scaled) && strcmp(lc_human_seconds(busy).s, lc_human_seconds(scaled).s) != 0)
            lc_buf_printf(out, " (%s)", lc_human_seconds(scaled).s);
        before = ", ";
    }
    if (out->len > 0)
        lc_buf_puts(out, ". In brackets: if what a job does once were charged as many tasks, too.");
}

void lc_arm_tables_of(const struct lc_view *view, lc_arm_table_fn *fn, void *arg)
{
    for (size_t i = 0; i < view->points; i++) {
        if (i > 0 && view->point[i]->target == view->point[i - 1]->target)
            continue; /* points are sorted by target */
        struct lc_arm_table table = lc_arm_table_make(view, view->point[i]->target);
        if (table.rows > 1)
            fn(arg, &table);
    }
}
