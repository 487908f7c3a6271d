/* SPDX-License-Identifier: MIT */
/* run_statistics.c - the honest total of a run: what it cost, what it saved */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/job_run.h"
#include "stage/counters.h"
#include "util/buf.h"
#include "util/human.h"
#include "util/map.h"

enum { TOP_PATHS = 10 };

static uint64_t number(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

/* Counters over all nodes. */
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

static uint64_t less(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

/* What this line added: node directories count for all that ever used them. */
static struct lc_counts count_line(const struct lc_cast_report *before,
                                   const struct lc_cast_report *end)
{
    struct lc_counts was = {0}, sum = {0};

    add_counts(&was, before->nodes);
    add_counts(&sum, end->nodes);
    for (int k = 0; k < LC_COUNTS; k++)
        sum.count[k] = less(sum.count[k], was.count[k]);
    sum.bytes_opened = less(sum.bytes_opened, was.bytes_opened);
    return sum;
}

/* 'sign' is 1, or -1 for what was there before. */
static void add_passed(struct lc_map *paths, const json_t *passed, int sign)
{
    const json_t *path;
    size_t i;

    json_array_foreach(passed, i, path)
    {
        const char *name = json_string_value(json_object_get(path, "path"));
        int64_t *count = name ? lc_map_object(paths, name, sizeof(*count)) : NULL;
        if (count)
            *count += sign * (int64_t)number(path, "count");
    }
}

static int by_count(const void *a, const void *b)
{
    const struct lc_map_entry *x = a, *y = b;
    int64_t m = *(int64_t *)x->value, n = *(int64_t *)y->value;

    return m > n ? -1 : m < n;
}

/* The paths with a count above zero, most often asked first; the caller frees the array. */
static struct lc_map_entry *sort_paths(const struct lc_map *paths, size_t *count)
{
    struct lc_map_entry *entry = calloc(paths->count + 1, sizeof(*entry));

    *count = 0;
    for (size_t i = 0; entry && i < paths->count; i++)
        if (*(int64_t *)paths->entry[i].value > 0)
            entry[(*count)++] = paths->entry[i];
    if (entry)
        qsort(entry, *count, sizeof(*entry), by_count);
    return entry;
}

static void print_passed(const json_t *before, const json_t *passed)
{
    struct lc_map paths = {0};
    struct lc_buf text = {0};
    size_t count;

    add_passed(&paths, passed, 1);
    add_passed(&paths, before, -1);
    struct lc_map_entry *entry = sort_paths(&paths, &count);
    if (count > 0)
        fprintf(stderr, "asked of the file system most, over all nodes:\n");
    for (size_t i = 0; i < count && i < TOP_PATHS; i++) {
        lc_buf_clear(&text);
        lc_buf_escape(&text, entry[i].key, strlen(entry[i].key));
        fprintf(stderr, "  %10s  %s\n", lc_human_count((uint64_t) * (int64_t *)entry[i].value).s,
                lc_buf_text(&text));
    }
    free(entry);
    lc_buf_free(&text);
    lc_map_free(&paths, free);
}

static void print_saved(const struct lc_cast_report *before, const struct lc_cast_report *end)
{
    struct lc_counts sum = count_line(before, end);
    uint64_t answered = 0, missed = 0;

    if (json_array_size(end->nodes) == 0) {
        fprintf(stderr, "saved      not counted: no node answered afterwards\n");
        return;
    }
    for (int i = 0; i < LC_COUNTS; i++) {
        answered += lc_count_is_answered(i) ? sum.count[i] : 0;
        missed += lc_count_is_passed(i) && i != LC_COUNT_PASS_OUTSIDE ? sum.count[i] : 0;
    }
    fprintf(stderr, "saved      %s operations in %s processes; %s of files opened in node memory\n",
            lc_human_count(answered).s, lc_human_count(sum.count[LC_COUNT_PROCESSES]).s,
            lc_human_bytes(sum.bytes_opened).s);
    fprintf(stderr, "passed     %s operations through\n", lc_human_count(missed).s);
    print_passed(before->passed, end->passed);
}

static const char *guess_reason(const struct lc_run *run)
{
    if (run->line.drops_environment && !run->fronted)
        return "the line drops the environment";
    if (run->line.launcher == LC_LAUNCHER_NONE)
        return "it runs elsewhere, or starts its program by a launcher that 'loadcast run' does "
               "not "
               "see; put 'loadcast run --' before that";
    return "the program is static, setuid or in a container, clears its environment, or did not "
           "start; try --wrap always";
}

bool lc_run_is_unused(const struct lc_run *run, const struct lc_cast_report *end,
                      struct lc_error *out)
{
    const json_t *node;
    size_t i, told = 0;
    uint64_t processes = 0;

    json_array_foreach(end->nodes, i, node)
    {
        told += json_object_get(node, "processes") != NULL;
        processes += number(node, "processes");
    }
    if (told == 0 || told < json_array_size(end->nodes) || processes > 0)
        return false;
    lc_error_set(out, "no process used the image on %zu node%s: %s", told, told == 1 ? "" : "s",
                 guess_reason(run));
    return true;
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
        print_saved(&run->before, end);
    else if (run->stages_itself)
        fprintf(stderr, "saved      not counted: nobody knows the nodes afterwards\n");
}
