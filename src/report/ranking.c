/* SPDX-License-Identifier: MIT */
/* ranking.c - the targets of a case from best to worst */
#include "report/ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_value(const struct lc_report_point *p, const char *with)
{
    return !p->is_twin && !isnan(p->median_s) && strcmp(p->with, with) == 0;
}

static size_t targets_at(const struct lc_view *view, const char *with, long ranks)
{
    size_t found = 0;

    for (size_t i = 0; i < view->points; i++)
        found += has_value(view->point[i], with) && view->point[i]->ranks == ranks;
    return found;
}

/* The number of ranks at which most targets were measured; 0 if there is none. */
static long common_width(const struct lc_view *view, const char *with)
{
    long best = 0;
    size_t most = 0;

    for (size_t i = 0; i < view->points; i++) {
        long ranks = view->point[i]->ranks;
        size_t n = targets_at(view, with, ranks);
        if (n > most || (n == most && n > 0 && ranks > best)) {
            most = n;
            best = ranks;
        }
    }
    return best;
}

/* The row of a target: the last one, or a new one, as the points of a view are ordered by target.
 */
static struct lc_ranked *row_of(struct lc_ranking *r, const char *target)
{
    if (r->rows == 0 || r->row[r->rows - 1].target != target)
        r->row[r->rows++] = (struct lc_ranked){.target = target, .by_s = NAN, .times_best = NAN};
    return &r->row[r->rows - 1];
}

static void point_add(struct lc_ranking *r, const struct lc_report_point *p)
{
    struct lc_ranked *row = row_of(r, p->target);

    if (p->ranks != r->ranks || p->is_twin || isnan(p->median_s))
        return;
    if (strcmp(p->with, "plain") == 0)
        row->plain = p;
    if (strcmp(p->with, "loadcast") == 0)
        row->loadcast = p;
    if (strcmp(p->with, r->by) == 0)
        row->by_s = p->median_s;
}

static int by_time(const void *a, const void *b)
{
    const struct lc_ranked *x = a, *y = b;

    double a_s = isnan(x->by_s) ? INFINITY : x->by_s, b_s = isnan(y->by_s) ? INFINITY : y->by_s;

    return a_s != b_s ? (a_s > b_s) - (a_s < b_s) : strcmp(x->target, y->target);
}

struct lc_ranking lc_ranking_make(const struct lc_view *view)
{
    struct lc_ranking r = {.ranks = common_width(view, "plain"), .by = "plain"};

    if (r.ranks == 0) {
        r.by = "loadcast";
        r.ranks = common_width(view, "loadcast");
    }
    r.row = r.ranks ? calloc(view->points + 1, sizeof(*r.row)) : NULL;
    for (size_t i = 0; r.row && i < view->points; i++)
        point_add(&r, view->point[i]);
    if (r.rows < 2)
        r.rows = 0;
    else
        qsort(r.row, r.rows, sizeof(*r.row), by_time);
    for (size_t i = 0; i < r.rows; i++)
        r.row[i].times_best = r.row[i].by_s / r.row[0].by_s;
    return r;
}

void lc_ranking_free(struct lc_ranking *r)
{
    free(r->row);
}
