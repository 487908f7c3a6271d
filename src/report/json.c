/* SPDX-License-Identifier: MIT */
/* json.c - a report as JSON: the headline and every point */
#include <math.h>

#include "report/report.h"
#include "util/json.h"

static json_t *number(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *point_json(const struct lc_point *p)
{
    json_t *one = json_pack("{s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:I, s:I}", "case",
                            lc_json_text(p->name), "mode", lc_json_text(p->mode), "target",
                            lc_json_text(p->target), "ranks", (json_int_t)p->ranks, "nodes",
                            (json_int_t)p->nodes, "with", lc_json_text(p->with), "cache",
                            lc_json_text(p->cache), "how", lc_json_text(p->how), "runs",
                            (json_int_t)p->total.n, "without_value", (json_int_t)p->failed);
    json_t *parts = json_object();

    json_object_set_new(one, "best_s", number(p->best_s));
    json_object_set_new(one, "median_s", number(p->median_s));
    json_object_set_new(one, "worst_s", number(p->worst_s));
    for (int i = 0; i < LC_PARTS; i++)
        json_object_set_new(parts, lc_part_name((enum lc_part)i), number(p->part_s[i]));
    json_object_set_new(one, "parts_s", parts);
    for (int i = 0; i < LC_SIDES; i++)
        json_object_set_new(one, lc_side_name((enum lc_side)i), number(p->side[i]));
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
    json_t *all = json_pack(
        "{s:o, s:o, s:o, s:o}", "headline", lc_json_text(lc_buf_text(&h.sentence)), "conditions",
        lc_json_text(lc_buf_text(&h.conditions)), "runs", ended, "points", points);
    lc_headline_free(&h);
    int rc = json_dumpf(all, out, JSON_INDENT(2));
    json_decref(all);
    fputc('\n', out);
    return rc < 0 || fflush(out) ? lc_error_errno(err, "cannot write the report") : 0;
}
