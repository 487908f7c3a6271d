/* SPDX-License-Identifier: MIT */
/* run_stats.c - the honest total of a run: what it cost, what it saved */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/run.h"
#include "stage/live.h"
#include "util/buf.h"
#include "util/human.h"
#include "util/map.h"

enum { TOP_PATHS = 10 };

static uint64_t number(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

/* Counters over all nodes. Of what an earlier run of the job counted nothing is known here when
 * the directory was there already: it is then part of the sum. */
static void add_counts(struct lc_counts *sum, const json_t *nodes)
{
    const json_t *node;
    size_t i;

    json_array_foreach(nodes, i, node)
    {
        for (int k = 0; k < LC_COUNTS; k++)
            sum->count[k] += number(json_object_get(node, "counts"), lc_count_names[k].key);
        sum->bytes_opened += number(node, "bytes_opened");
    }
}

static void add_passed(struct lc_map *paths, const json_t *passed)
{
    const json_t *path;
    size_t i;

    json_array_foreach(passed, i, path)
    {
        const char *name = json_string_value(json_object_get(path, "path"));
        uint64_t *count = name ? lc_map_object(paths, name, sizeof(*count)) : NULL;
        if (count)
            *count += number(path, "count");
    }
}

static int by_count(const void *a, const void *b)
{
    const struct lc_map_entry *x = a, *y = b;
    uint64_t m = *(uint64_t *)x->value, n = *(uint64_t *)y->value;

    return m > n ? -1 : m < n;
}

static void print_passed(const json_t *passed)
{
    struct lc_map paths = {0};
    struct lc_buf text = {0};

    add_passed(&paths, passed);
    struct lc_map_entry *entry = calloc(paths.count + 1, sizeof(*entry));
    for (size_t i = 0; entry && i < paths.count; i++)
        entry[i] = paths.entry[i];
    if (entry)
        qsort(entry, paths.count, sizeof(*entry), by_count);
    if (entry && paths.count > 0)
        fprintf(stderr, "asked of the file system most, over all nodes:\n");
    for (size_t i = 0; entry && i < paths.count && i < TOP_PATHS; i++) {
        lc_buf_clear(&text);
        lc_buf_escape(&text, entry[i].key, strlen(entry[i].key));
        fprintf(stderr, "  %10s  %s\n", lc_human_count(*(uint64_t *)entry[i].value).s,
                lc_buf_text(&text));
    }
    free(entry);
    lc_buf_free(&text);
    lc_map_free(&paths, free);
}

static void print_saved(const struct lc_cast_report *end)
{
    struct lc_counts sum = {0};
    uint64_t answered = 0, missed = 0;

    add_counts(&sum, end->nodes);
    for (int i = 0; i < LC_COUNTS; i++) {
        answered += lc_count_is_answered(i) ? sum.count[i] : 0;
        missed += lc_count_is_passed(i) && i != LC_COUNT_PASS_OUTSIDE ? sum.count[i] : 0;
    }
    fprintf(stderr, "saved      %s operations in %s processes; %s of files opened in node memory\n",
            lc_human_count(answered).s, lc_human_count(sum.count[LC_COUNT_PROCESSES]).s,
            lc_human_bytes(sum.bytes_opened).s);
    fprintf(stderr, "passed     %s operations through\n", lc_human_count(missed).s);
    print_passed(end->passed);
}

void lc_run_print_stats(const struct lc_run *run, const struct lc_cast_report *end)
{
    double stage_s = run->staged.seconds;

    if (run->has_checked)
        fprintf(stderr, "check      %s, %s entries\n", lc_human_seconds(run->check_s).s,
                lc_human_count(run->entries).s);
    else
        fprintf(stderr, "check      done by an earlier run of this job\n");
    if (run->was_staged)
        fprintf(stderr, "stage      done by an earlier run of this job\n");
    else if (run->is_staged && run->staged.fresh == 0)
        fprintf(stderr, "stage      %s by %s: %zu node%s had it already\n",
                lc_human_seconds(stage_s).s, lc_via_name(run->staged.via), run->staged.ok,
                run->staged.ok == 1 ? "" : "s");
    else if (run->is_staged)
        fprintf(stderr, "stage      %s by %s on %zu node%s, %s of each\n",
                lc_human_seconds(stage_s).s, lc_via_name(run->staged.via), run->staged.ok,
                run->staged.ok == 1 ? "" : "s", lc_human_bytes(run->staged.bytes).s);
    else if (run->stages_itself)
        fprintf(stderr, "stage      by the first rank on each node, within the launch line\n");
    else
        fprintf(stderr, "stage      not done: the ranks ran without it\n");
    fprintf(stderr, "start      %s for the launch line\n", lc_human_seconds(run->launch_s).s);
    if (end)
        fprintf(stderr, "end        %s to count and clean\n", lc_human_seconds(run->end_s).s);
    fprintf(stderr, "total      %s\n",
            lc_human_seconds(run->check_s + stage_s + run->launch_s + run->end_s).s);
    if (end)
        print_saved(end);
    else if (run->stages_itself)
        fprintf(stderr, "saved      not counted: nobody knows the nodes afterwards\n");
}
