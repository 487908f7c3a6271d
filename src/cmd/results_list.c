/* SPDX-License-Identifier: MIT */
/* results_list.c - loadcast results list, show */
#include <math.h>
#include <string.h>

#include "cmd/results.h"
#include "report/words.h"
#include "results/fields.h"
#include "results/run_json.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/human.h"
#include "util/table.h"

static void heading_add(struct lc_table *table)
{
    static const char *const heading[] = {"id",     "<started", "<status", "<suite", "<case",
                                          "<mode",  "<target",  "ranks",   "nodes",  "<with",
                                          "<cache", "rep",      "total s"};

    lc_table_begin(table, sizeof(heading) / sizeof(*heading));
    for (size_t i = 0; i < sizeof(heading) / sizeof(*heading); i++)
        lc_table_add(table, "%s", heading[i]);
}

static int row_add(void *arg, const struct lc_run *run)
{
    struct lc_table *table = arg;
    char time[32];

    lc_clock_iso(time, sizeof(time), (uint64_t)run->started_ns);
    lc_table_add(table, "%ld", run->id);
    lc_table_add(table, "%s", time);
    lc_table_add(table, "%s", lc_run_status_name(run->status));
    lc_table_add(table, "%s", lc_words_short(run->key.suite).s);
    lc_table_add(table, "%s", lc_words_short(run->key.name).s);
    lc_table_add(table, "%s", lc_words_short(run->key.mode).s);
    lc_table_add(table, "%s", lc_words_short(run->key.target).s);
    lc_table_add(table, "%ld", run->key.ranks);
    lc_table_add(table, "%ld", run->key.nodes);
    lc_table_add(table, "%s", lc_words_short(run->key.with).s);
    lc_table_add(table, "%s", lc_words_short(run->key.cache).s);
    lc_table_add(table, "%ld", run->key.repetition);
    if (isnan(run->total_s))
        lc_table_add(table, "-");
    else
        lc_table_add(table, "%.4g", run->total_s);
    return 0;
}

int lc_results_list(const struct lc_results *results, const struct lc_results_view *view,
                    struct lc_error *err)
{
    struct lc_table table;

    if (view->json)
        return lc_results_export(results, view, err);
    heading_add(&table);
    int rc = lc_results_each(results, &view->filter, 0, row_add, &table, err);
    lc_table_print(&table, stdout);
    return rc;
}

static void print_line(const char *name, const char *bytes)
{
    struct lc_buf text = {0};

    if (!*bytes)
        return;
    lc_buf_escape(&text, bytes, strlen(bytes));
    printf("%-11s%s\n", name, lc_buf_text(&text));
    lc_buf_free(&text);
}

/* Print a text of several lines, indented, with control characters escaped. */
static void print_block(const char *name, const char *bytes)
{
    if (*bytes)
        printf("%s\n", name);
    while (*bytes) {
        size_t len = strcspn(bytes, "\n");
        struct lc_buf text = {0};
        lc_buf_escape(&text, bytes, len);
        printf("    %s\n", lc_buf_text(&text));
        lc_buf_free(&text);
        bytes += len + (bytes[len] == '\n');
    }
}

static void print_phases(const struct lc_run *run)
{
    struct lc_table table;
    static const char *const heading[] = {"<phase", "ranks", "min", "median", "p95", "max"};

    if (run->phases == 0)
        return;
    lc_table_begin(&table, 6);
    for (size_t i = 0; i < 6; i++)
        lc_table_add(&table, "%s", heading[i]);
    for (size_t i = 0; i < run->phases; i++) {
        const struct lc_run_phase *p = &run->phase[i];
        lc_table_add(&table, "%s", lc_words_short(p->name).s);
        lc_table_add(&table, "%zu", p->ranks);
        lc_table_add(&table, "%s", lc_human_seconds((double)p->min_ns / 1e9).s);
        lc_table_add(&table, "%s", lc_human_seconds((double)p->median_ns / 1e9).s);
        lc_table_add(&table, "%s", lc_human_seconds((double)p->p95_ns / 1e9).s);
        lc_table_add(&table, "%s", lc_human_seconds((double)p->max_ns / 1e9).s);
    }
    printf("\n");
    lc_table_print(&table, stdout);
}

static void print_metrics(const struct lc_run *run)
{
    if (run->metrics)
        printf("\n");
    for (size_t i = 0; i < run->metrics; i++)
        printf("%-22s%.6g\n", lc_words_short(run->metric[i].name).s, run->metric[i].value);
}

static void print_times(const struct lc_run *run)
{
    char time[32];

    lc_clock_iso(time, sizeof(time), (uint64_t)run->started_ns);
    printf("run        %ld, %s\nstatus     %s\n", run->id, run->uid,
           lc_run_status_name(run->status));
    printf("started    %s\n", time);
    if (!isnan(run->total_s))
        printf("total      %s: worst rank, check and staging included\n",
               lc_human_seconds(run->total_s).s);
    printf("width      %ld rank%s on %ld node%s, repetition %ld\n", run->key.ranks,
           run->key.ranks == 1 ? "" : "s", run->key.nodes, run->key.nodes == 1 ? "" : "s",
           run->key.repetition);
}

static int show_run(void *arg, const struct lc_run *run)
{
    ++*(int *)arg;
    print_times(run);
    for (const struct lc_field *f = lc_key_fields; f->name; f++)
        print_line(f->name, lc_field_of(&run->key, f));
    print_line("reason", run->reason);
    for (const struct lc_field *f = lc_place_fields; f->name; f++)
        if (strcmp(f->name, "suite_text") != 0)
            print_line(f->name, lc_field_of(&run->place, f));
    print_phases(run);
    print_metrics(run);
    print_block("\nits last words on standard error:", run->errors);
    print_block("\nsuite:", run->place.suite_text);
    return 0;
}

static int show_json(void *arg, const struct lc_run *run)
{
    struct lc_error err;
    json_t *value = lc_run_to_json(run);
    int rc = value ? lc_json_write(value, "-", &err) : -1;

    ++*(int *)arg;
    json_decref(value);
    return rc;
}

int lc_results_show(const struct lc_results *results, const struct lc_results_view *view,
                    struct lc_error *err)
{
    int count = 0;
    int rc = lc_results_each(results, &view->filter, LC_READ_ALL, view->json ? show_json : show_run,
                             &count, err);

    if (rc == 0 && count == 0)
        return lc_error_set(err, "there is no run %ld; 'loadcast results list' names them",
                            view->filter.id);
    return rc;
}
