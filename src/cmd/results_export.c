/* SPDX-License-Identifier: MIT */
/* results_export.c - loadcast results export: all runs as JSON or CSV */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/results.h"
#include "results/fields.h"
#include "results/run_json.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/map.h"
#include "util/output.h"

struct export
{
    FILE *out;
    long count;
    struct lc_map phases, metrics; /* CSV: names of the columns for phases and metrics */
};

static int json_put(void *arg, const struct lc_run *run)
{
    struct export *e = arg;
    json_t *value = lc_run_to_json(run);

    fputs(e->count++ ? ",\n" : "\n", e->out);
    int rc = value ? json_dumpf(value, e->out, JSON_COMPACT) : -1;
    json_decref(value);
    return rc < 0 || ferror(e->out) ? -1 : 0;
}

static int export_json(struct export *e, const struct lc_results *results,
                       const struct lc_results_view *view, unsigned what, struct lc_error *err)
{
    fputc('[', e->out);
    int rc = lc_results_each(results, &view->filter, what, json_put, e, err);
    fputs("\n]\n", e->out);
    return rc;
}

/* Write a field, quoted if necessary (RFC 4180). */
static void field_put(FILE *out, const char *text)
{
    if (!text[strcspn(text, "\",\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static int columns_collect(void *arg, const struct lc_run *run)
{
    struct export *e = arg;

    for (size_t i = 0; i < run->phases; i++)
        if (!lc_map_at(&e->phases, run->phase[i].name))
            return -1;
    for (size_t i = 0; i < run->metrics; i++)
        if (!lc_map_at(&e->metrics, run->metric[i].name))
            return -1;
    return 0;
}

static bool is_in_csv(const struct lc_field *field)
{
    return strcmp(field->name, "suite_text") != 0;
}

static void heading_put(struct export *e)
{
    static const char *const sum[] = {"min", "median", "p95", "max"};

    fputs("id,uid,status,started", e->out);
    for (const struct lc_field *f = lc_key_fields; f->name; f++)
        fprintf(e->out, ",%s", f->name);
    fputs(",ranks,nodes,repetition,total_s,reason", e->out);
    for (size_t i = 0; i < e->phases.count; i++)
        for (size_t s = 0; s < 4; s++) {
            fputc(',', e->out);
            field_put(e->out, e->phases.entry[i].key);
            fprintf(e->out, "_%s_s", sum[s]);
        }
    for (size_t i = 0; i < e->metrics.count; i++) {
        fputc(',', e->out);
        field_put(e->out, e->metrics.entry[i].key);
    }
    for (const struct lc_field *f = lc_place_fields; f->name; f++)
        if (is_in_csv(f))
            fprintf(e->out, ",%s", f->name);
    fputs("\r\n", e->out);
}

static void number_put(FILE *out, double value)
{
    if (isnan(value))
        fputc(',', out);
    else
        fprintf(out, ",%.9g", value);
}

static void phases_put(struct export *e, const struct lc_run *run)
{
    for (size_t i = 0; i < e->phases.count; i++) {
        const struct lc_run_phase *p = lc_run_phase(run, e->phases.entry[i].key);
        number_put(e->out, p ? (double)p->min_ns / 1e9 : NAN);
        number_put(e->out, p ? (double)p->median_ns / 1e9 : NAN);
        number_put(e->out, p ? (double)p->p95_ns / 1e9 : NAN);
        number_put(e->out, p ? (double)p->max_ns / 1e9 : NAN);
    }
}

static void texts_put(FILE *out, const void *of, const struct lc_field *field)
{
    for (; field->name; field++)
        if (is_in_csv(field)) {
            fputc(',', out);
            field_put(out, lc_field_of(of, field));
        }
}

static int row_put(void *arg, const struct lc_run *run)
{
    struct export *e = arg;
    char time[32];

    lc_clock_iso(time, sizeof(time), (uint64_t)run->started_ns);
    fprintf(e->out, "%ld,%s,%s,%s", run->id, run->uid, lc_run_status_name(run->status), time);
    texts_put(e->out, &run->key, lc_key_fields);
    fprintf(e->out, ",%ld,%ld,%ld", run->key.ranks, run->key.nodes, run->key.repetition);
    number_put(e->out, run->total_s);
    fputc(',', e->out);
    field_put(e->out, run->reason);
    phases_put(e, run);
    for (size_t i = 0; i < e->metrics.count; i++)
        number_put(e->out, lc_run_metric(run, e->metrics.entry[i].key));
    texts_put(e->out, &run->place, lc_place_fields);
    fputs("\r\n", e->out);
    return ferror(e->out) ? -1 : 0;
}

static int export_csv(struct export *e, const struct lc_results *results,
                      const struct lc_results_view *view, struct lc_error *err)
{
    unsigned what = LC_READ_PHASES | LC_READ_METRICS;
    int rc = lc_results_each(results, &view->filter, what, columns_collect, e, err);

    if (rc < 0)
        return -1;
    heading_put(e);
    rc = lc_results_each(results, &view->filter, what | LC_READ_PLACE, row_put, e, err);
    lc_map_free(&e->phases, NULL);
    lc_map_free(&e->metrics, NULL);
    return rc;
}

static int export_to(FILE *out, const struct lc_results *results,
                     const struct lc_results_view *view, unsigned what, struct lc_error *err)
{
    struct export e = {.out = out};

    *err = (struct lc_error){{0}};
    int rc =
        view->csv ? export_csv(&e, results, view, err) : export_json(&e, results, view, what, err);
    if ((rc < 0 || fflush(out)) && !*err->text)
        rc = lc_error_errno(err, "cannot write the export");
    return rc;
}

int lc_results_export(const struct lc_results *results, const struct lc_results_view *view,
                      struct lc_error *err)
{
    struct lc_output out;

    if (lc_output_open(&out, view->output ? view->output : "-", err) < 0)
        return -1;
    int rc = export_to(out.stream, results, view, LC_READ_ALL, err);
    return lc_output_close(&out, rc == 0, err) < 0 ? -1 : rc;
}
