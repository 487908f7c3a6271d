/* SPDX-License-Identifier: MIT */
/* html_data.c - the data for the page's script, as JSON
 *
 * Runs are written as columns of numbers, since a hundred thousand runs must fit into a few
 * megabytes. Names are written once, in "texts", and referred to by number. Values that few runs
 * have (a status other than done, a reason) are listed by the run's number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "results/fields.h"

enum { TEXT_MOST = 300, ERRORS_MOST = 600, REASONS_MOST = 2000 };

/* The number of a text in "texts". Numbers follow the order of first use. */
static size_t number_of(struct lc_map *texts, const char *text)
{
    size_t *number = lc_map_object(texts, text, sizeof(*number));

    if (number && *number == 0)
        *number = texts->count; /* from 1: zero means new */
    return number ? *number - 1 : 0;
}

static void places_put(struct lc_buf *out, const struct lc_report *r)
{
    lc_buf_puts(out, "\"places\":[");
    for (size_t i = 0; i < r->places.count; i++) {
        const struct lc_report_place *place = r->places.entry[i].value;
        lc_buf_puts(out, i ? ",\n[" : "[");
        for (const struct lc_field *f = lc_place_fields; strcmp(f->name, "job") != 0; f++) {
            lc_buf_puts(out, f == lc_place_fields ? "" : ",");
            lc_html_json(out, lc_field_of(&place->is, f), TEXT_MOST);
        }
        lc_buf_puts(out, "]");
    }
    lc_buf_puts(out, "],\n");
}

static void points_put(struct lc_buf *out, const struct lc_report *r, struct lc_map *texts)
{
    lc_buf_puts(out, "\"points\":[");
    for (size_t i = 0; i < r->points; i++) {
        const struct lc_report_point *p = r->point[i];
        const char *text[] = {p->name, p->mode, p->target, p->with, p->cache, p->how};
        lc_buf_puts(out, i ? ",\n[" : "[");
        for (size_t k = 0; k < 6; k++)
            lc_buf_printf(out, "%zu,", number_of(texts, text[k]));
        lc_buf_printf(out, "%ld,%ld,%zu,%zu,%ld,", p->ranks, p->nodes, p->total.n, p->failed,
                      p->place ? (long)p->place->index : -1L);
        lc_html_numbers(out, (const double[]){p->best_s, p->median_s, p->worst_s}, 3);
        lc_buf_puts(out, "]");
    }
    lc_buf_puts(out, "],\n");
}

enum column { POINT, AGO, TOTAL, REPETITION, ID, PLACE, SUITE };

static void column_put(struct lc_buf *out, const struct lc_report *r, const char *name,
                       enum column what, struct lc_map *texts)
{
    int64_t before = 0;

    lc_buf_printf(out, "\"%s\":[", name);
    for (size_t i = 0; i < r->runs; i++) {
        const struct lc_report_run *run = &r->run[i];
        int64_t at = run->started_ns / 1000000000;
        lc_buf_puts(out, i ? "," : "");
        if (what == POINT)
            lc_buf_printf(out, "%zu", run->point->index);
        else if (what == AGO)
            lc_buf_printf(out, "%lld", (long long)(at - before));
        else if (what == TOTAL && isnan(run->total_s))
            lc_buf_puts(out, "null");
        else if (what == TOTAL)
            lc_buf_printf(out, "%.5g", run->total_s);
        else if (what == PLACE)
            lc_buf_printf(out, "%zu", run->place->index);
        else if (what == SUITE)
            lc_buf_printf(out, "%zu", number_of(texts, run->suite));
        else if (what == ID)
            lc_buf_printf(out, "%ld", run->id - (long)before);
        else
            lc_buf_printf(out, "%ld", run->repetition);
        before = what == ID ? run->id : at;
    }
    lc_buf_puts(out, "],\n");
}

/* Columns that are left out if they hold the same for all runs; the script then uses the default.
 */
static void rare_columns_put(struct lc_buf *out, const struct lc_report *r, struct lc_map *texts)
{
    bool gaps = false, places = false, suites = false;

    for (size_t i = 1; i < r->runs; i++) {
        gaps |= r->run[i].id != r->run[i - 1].id + 1;
        suites |= r->run[i].suite != r->run[0].suite;
    }
    for (size_t i = 0; i < r->runs; i++)
        places |= r->run[i].point->place && r->run[i].place != r->run[i].point->place;
    lc_buf_printf(out, "\"firstId\":%ld,\"suite\":%zu,\n", r->runs ? r->run[0].id : 1L,
                  r->runs ? number_of(texts, r->run[0].suite) : 0);
    if (gaps)
        column_put(out, r, "id", ID, texts);
    if (places)
        column_put(out, r, "place", PLACE, texts);
    if (suites)
        column_put(out, r, "suites", SUITE, texts);
}

/* {"17":"failed",...}: the status of runs that are not done, by number of the run. */
static void statuses_put(struct lc_buf *out, const struct lc_report *r)
{
    bool some = false;

    lc_buf_puts(out, "\"status\":{");
    for (size_t i = 0; i < r->runs; i++)
        if (r->run[i].status != LC_RUN_DONE) {
            lc_buf_printf(out, "%s\"%zu\":\"%s\"", some ? "," : "", i,
                          lc_run_status_name(r->run[i].status));
            some = true;
        }
    lc_buf_puts(out, "},\n");
}

static void put_texts_of_runs(struct lc_buf *out, const struct lc_report *r, struct lc_map *texts)
{
    size_t left = REASONS_MOST;
    bool some = false;

    lc_buf_puts(out, "\"why\":{");
    for (size_t i = r->runs; i-- > 0 && left > 0;)
        if (*r->run[i].reason || *r->run[i].errors) {
            lc_buf_printf(out, "%s\"%zu\":[%zu,%zu]", some ? "," : "", i,
                          number_of(texts, r->run[i].reason), number_of(texts, r->run[i].errors));
            some = true;
            left--;
        }
    some = false;
    lc_buf_puts(out, "},\n\"job\":{");
    for (size_t i = 0; i < r->runs; i++)
        if (*r->run[i].job) {
            lc_buf_printf(out, "%s\"%zu\":%zu", some ? "," : "", i,
                          number_of(texts, r->run[i].job));
            some = true;
        }
    lc_buf_puts(out, "},\n");
}

static void marked_put(struct lc_buf *out, const struct lc_report *r, const char *name, bool slower)
{
    bool some = false;

    lc_buf_printf(out, "\"%s\":[", name);
    for (size_t i = 0; i < r->runs; i++)
        if (slower ? r->run[i].is_slower : r->run[i].is_outlier) {
            lc_buf_printf(out, "%s%zu", some ? "," : "", i);
            some = true;
        }
    lc_buf_puts(out, "],\n");
}

void lc_html_data(struct lc_buf *out, const struct lc_report *r)
{
    struct lc_map texts = {0};

    places_put(out, r);
    points_put(out, r, &texts);
    column_put(out, r, "point", POINT, &texts);
    column_put(out, r, "ago", AGO, &texts);
    column_put(out, r, "total", TOTAL, &texts);
    column_put(out, r, "rep", REPETITION, &texts);
    rare_columns_put(out, r, &texts);
    statuses_put(out, r);
    put_texts_of_runs(out, r, &texts);
    marked_put(out, r, "outlier", false);
    marked_put(out, r, "slower", true);
    lc_buf_puts(out, "\"texts\":[");
    for (size_t i = 0; i < texts.count; i++) {
        lc_buf_puts(out, i ? ",\n" : "");
        lc_html_json(out, texts.entry[i].key, ERRORS_MOST);
    }
    lc_buf_puts(out, "]");
    lc_map_free(&texts, free);
}
