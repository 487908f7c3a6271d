/* SPDX-License-Identifier: MIT */
/* bench_summary.c - loadcast bench: the summary that is printed at the end */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench.h"
#include "util/human.h"
#include "util/json.h"
#include "util/table.h"

void lc_bench_summary_add(struct lc_bench_summary *s, const struct lc_bench_line *line)
{
    struct lc_bench_line *more = realloc(s->line, (s->count + 1) * sizeof(*more));

    if (!more)
        return;
    s->line = more;
    s->line[s->count] = *line;
    s->line[s->count].total_s = NULL;
    if (line->done > 0 && (s->line[s->count].total_s = malloc((size_t)line->done * sizeof(double))))
        memcpy(s->line[s->count].total_s, line->total_s, (size_t)line->done * sizeof(double));
    s->count++;
}

void lc_bench_summary_free(struct lc_bench_summary *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->line[i].total_s);
    free(s->line);
}

static struct lc_text seconds_text(double value)
{
    return isnan(value) ? (struct lc_text){"-"} : lc_human_seconds(value);
}

/* Both totals where they differ: as charged, and as if no program were charged once per job. */
static void busy_add(struct lc_table *table, const struct lc_bench_line *l)
{
    struct lc_text charged = seconds_text(l->busy_s), scaled = seconds_text(l->busy_all_scaled_s);

    if (strcmp(charged.s, scaled.s) == 0)
        lc_table_add(table, "%s", charged.s);
    else
        lc_table_add(table, "%s (all scaled %s)", charged.s, scaled.s);
}

static void row_add(struct lc_table *table, const struct lc_bench_line *l)
{
    lc_table_add(table, "%s", l->name);
    lc_table_add(table, "%s", l->mode);
    lc_table_add(table, "%s", l->target);
    lc_table_add(table, "%ld", l->width.ranks);
    lc_table_add(table, "%s%s%s%s", l->cache, l->how[0] ? " (" : "", l->how, l->how[0] ? ")" : "");
    lc_table_add(table, "%s", l->with);
    lc_table_add(table, "%ld", l->done);
    lc_table_add(table, "%s", seconds_text(l->median_s).s);
    if (isnan(l->low_s))
        lc_table_add(table, "-");
    else
        lc_table_add(table, "%s to %s", seconds_text(l->low_s).s, seconds_text(l->high_s).s);
    lc_table_add(table, "%s", seconds_text(l->best_s).s);
    lc_table_add(table, "%s",
                 isnan(l->operations) ? "-" : lc_human_count((uint64_t)l->operations).s);
    busy_add(table, l);
    lc_table_add(table, "%s", seconds_text(l->control_s).s);
    lc_table_add(table, "%s", l->status);
}

void lc_bench_summary_print(const struct lc_bench_summary *s, FILE *out)
{
    static const char *const heading[] = {"<case",          "<mode",  "<target",    "ranks",
                                          "<cache",         "<with",  "runs",       "median",
                                          "<95 % interval", "best",   "operations", "server busy",
                                          "no slow disk",   "<status"};
    struct lc_table table;

    if (s->count == 0)
        return;
    lc_table_begin(&table, sizeof(heading) / sizeof(*heading));
    for (size_t i = 0; i < sizeof(heading) / sizeof(*heading); i++)
        lc_table_add(&table, "%s", heading[i]);
    for (size_t i = 0; i < s->count; i++)
        row_add(&table, &s->line[i]);
    lc_table_print(&table, out);
    for (size_t i = 0; i < s->count; i++)
        if (s->line[i].reason[0])
            fprintf(out, "%s (%s) on %s, %ld ranks, %s, %s: %s: %s\n", s->line[i].name,
                    s->line[i].mode, s->line[i].target, s->line[i].width.ranks, s->line[i].cache,
                    s->line[i].with, s->line[i].status, s->line[i].reason);
}

static json_t *number_json(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *line_json(const struct lc_bench_line *l)
{
    json_t *totals = json_array();

    for (long i = 0; i < l->done && l->total_s; i++)
        json_array_append_new(totals, json_real(l->total_s[i]));
    return json_pack(
        "{s:o, s:o, s:o, s:I, s:I, s:s, s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:s, s:o}",
        "case", lc_json_text(l->name), "mode", lc_json_text(l->mode), "target",
        lc_json_text(l->target), "ranks", (json_int_t)l->width.ranks, "nodes",
        (json_int_t)(l->nodes ? l->nodes : l->width.nodes), "cache", l->cache, "how", l->how,
        "with", l->with, "runs", (json_int_t)l->runs, "done", (json_int_t)l->done, "failed",
        (json_int_t)l->failed, "median_s", number_json(l->median_s), "low_s", number_json(l->low_s),
        "high_s", number_json(l->high_s), "best_s", number_json(l->best_s), "total_s", totals,
        "operations", number_json(l->operations), "operations_per_rank",
        number_json(l->operations_per_rank), "server_busy_s", number_json(l->busy_s),
        "server_busy_all_scaled_s", number_json(l->busy_all_scaled_s), "cpu_control_s",
        number_json(l->control_s), "status", l->status, "reason", lc_json_text(l->reason));
}

int lc_bench_summary_json(const struct lc_bench_summary *s, struct lc_error *err)
{
    json_t *all = json_array();

    for (size_t i = 0; i < s->count; i++)
        json_array_append_new(all, line_json(&s->line[i]));
    int rc = lc_json_write(all, "-", err);
    json_decref(all);
    return rc;
}
