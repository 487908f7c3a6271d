/* SPDX-License-Identifier: MIT */
/* json.c - a report as JSON: regressions, the headline, targets in order, every point */
#include <math.h>

#include "report/arm_table.h"
#include "report/ranking.h"
#include "report/regressions.h"
#include "report/report.h"
#include "util/clock.h"
#include "util/json.h"

static json_t *number_json(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

/* The key of a point: case, mode, target and so on. */
static json_t *key_json(const struct lc_report_point *p)
{
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:o, s:o}", "case", lc_json_text(p->name), "mode",
                     lc_json_text(p->mode), "target", lc_json_text(p->target), "ranks",
                     (json_int_t)p->ranks, "nodes", (json_int_t)p->nodes, "with",
                     lc_json_text(p->with), "cache", lc_json_text(p->cache));
}

static json_t *slower_json(const struct lc_report_point *p)
{
    const struct lc_slowdown *s = &p->slowdown;
    json_t *one = key_json(p);
    char since[32];

    lc_clock_iso(since, sizeof(since), (uint64_t)s->since->started_ns);
    json_object_set_new(one, "since", json_string(since));
    json_object_set_new(one, "since_run", json_integer((json_int_t)s->since->id));
    json_object_set_new(one, "before_s", number_json(s->before_s));
    json_object_set_new(one, "now_s", number_json(s->now_s));
    json_object_set_new(one, "ratio", number_json(s->ratio));
    json_object_set_new(one, "p", number_json(s->p));
    json_object_set_new(one, "runs_before", json_integer((json_int_t)s->runs_before));
    json_object_set_new(one, "runs_since", json_integer((json_int_t)s->runs_since));
    return one;
}

static json_t *regressions_json(const struct lc_report *r)
{
    struct lc_regressions slower;
    json_t *all = lc_regressions_find(r, &slower) == 0 ? json_array() : NULL;

    for (size_t i = 0; all && i < slower.points; i++)
        json_array_append_new(all, slower_json(slower.point[i]));
    lc_regressions_free(&slower);
    return all;
}

static json_t *ranking_json(const struct lc_view *view, const struct lc_ranking *ranking)
{
    json_t *rows = json_array();

    for (size_t i = 0; i < ranking->rows; i++) {
        const struct lc_ranked *row = &ranking->row[i];
        json_array_append_new(
            rows, json_pack("{s:o, s:o, s:o, s:o}", "target", lc_json_text(row->target), "plain_s",
                            number_json(row->plain ? row->plain->median_s : NAN), "loadcast_s",
                            number_json(row->loadcast ? row->loadcast->median_s : NAN),
                            "times_best", number_json(row->times_best)));
    }
    return json_pack("{s:o, s:o, s:o, s:I, s:s, s:o}", "case", lc_json_text(view->name), "mode",
                     lc_json_text(view->mode), "cache", lc_json_text(view->cache), "ranks",
                     (json_int_t)ranking->ranks, "by", ranking->by, "from_best_to_worst", rows);
}

static json_t *targets_json(const struct lc_report *r)
{
    json_t *all = json_array();

    for (size_t v = 0; v < r->views; v++) {
        struct lc_ranking ranking = lc_ranking_make(&r->view[v]);
        if (ranking.rows > 0)
            json_array_append_new(all, ranking_json(&r->view[v], &ranking));
        lc_ranking_free(&ranking);
    }
    return all;
}

static void missing_json_add(json_t *all, const struct lc_report_point *p)
{
    json_t *one = key_json(p);

    json_object_set_new(one, "median_s", json_null());
    json_object_set_new(one, "reason", lc_json_text(lc_arm_reason(p)));
    json_array_append_new(all, one);
}

static void arms_json_add(void *arg, const struct lc_arm_table *t)
{
    for (size_t i = 0; i < t->rows; i++) {
        const struct lc_report_point *p = t->row[i];
        json_t *one = key_json(p);
        json_object_set_new(one, "median_s", number_json(p->median_s));
        json_object_set_new(one, "operations", number_json(p->side[LC_SIDE_OPERATIONS]));
        json_object_set_new(one, "server_busy_s", number_json(p->side[LC_SIDE_SERVER_BUSY]));
        json_object_set_new(one, "server_busy_all_scaled_s",
                            number_json(p->side[LC_SIDE_SERVER_BUSY_ALL]));
        json_object_set_new(one, "memory_bytes", number_json(p->side[LC_SIDE_MEMORY]));
        json_object_set_new(one, "edit_s", number_json(p->side[LC_SIDE_EDIT]));
        json_object_set_new(one, "needs", json_string(lc_arm_needs(p->with)));
        json_array_append_new(arg, one);
    }
    for (size_t i = 0; i < t->missings; i++)
        missing_json_add(arg, t->missing[i]);
}

/* What to tell users: the arms of each case on each target, fastest first; then those without a
 * value. */
static json_t *arms_json(const struct lc_report *r)
{
    json_t *all = json_array();

    for (size_t v = 0; all && v < r->views; v++)
        lc_arm_tables_of(&r->view[v], arms_json_add, all);
    return all;
}

static json_t *point_json(const struct lc_report_point *p)
{
    json_t *one = key_json(p), *parts = json_object();

    json_object_set_new(one, "how", lc_json_text(p->how));
    json_object_set_new(one, "runs", json_integer((json_int_t)p->total.n));
    json_object_set_new(one, "without_value", json_integer((json_int_t)p->failed));
    json_object_set_new(one, "best_s", number_json(p->best_s));
    json_object_set_new(one, "median_s", number_json(p->median_s));
    json_object_set_new(one, "worst_s", number_json(p->worst_s));
    for (int i = 0; i < LC_PARTS; i++)
        json_object_set_new(parts, lc_part_name((enum lc_part)i), number_json(p->part_s[i]));
    json_object_set_new(one, "parts_s", parts);
    for (int i = 0; i < LC_SIDES; i++)
        json_object_set_new(one, lc_side_name((enum lc_side)i), number_json(p->side[i]));
    return one;
}

int lc_report_json(const struct lc_report *r, FILE *out, struct lc_error *err)
{
    struct lc_headline h;
    json_t *points = json_array(), *ended = json_object();

    for (size_t i = 0; i < r->points; i++)
        json_array_append_new(points, point_json(r->point[i]));
    for (int s = 0; s <= LC_RUN_STOPPED; s++)
        json_object_set_new(ended, lc_run_status_name((enum lc_run_status)s),
                            json_integer((json_int_t)r->ended[s]));
    lc_headline_make(r, &h);
    json_t *all = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "regressions",
                            regressions_json(r), "headline", lc_json_text(lc_buf_text(&h.sentence)),
                            "conditions", lc_json_text(lc_buf_text(&h.conditions)), "runs", ended,
                            "targets", targets_json(r), "arms", arms_json(r), "points", points);
    lc_headline_free(&h);
    if (!all)
        return lc_error_set(err, "cannot make a report: out of memory");
    int rc = json_dumpf(all, out, JSON_INDENT(2));
    json_decref(all);
    fputc('\n', out);
    return rc < 0 || fflush(out) ? lc_error_errno(err, "cannot write the report") : 0;
}
