/* SPDX-License-Identifier: MIT */
/* run_statistics.c - what a run cost and what it saved */
#include "launch/job_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "stage/counters.h"
#include "util/map.h"

static uint64_t json_number(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

/* Add the counters of all nodes. */
static void counts_add(struct lc_counts *sum, const json_t *nodes)
{
    const json_t *node;
    size_t i;

    json_array_foreach(nodes, i, node)
    {
        for (int k = 0; k < LC_COUNTS; k++)
            sum->count[k] += json_number(json_object_get(node, "counts"), lc_count_names[k].key);
        sum->bytes_opened += json_number(node, "bytes_opened");
    }
}

static uint64_t difference(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

/* Counters in node directories are sums over all lines that used them: take the earlier ones off.
 */
static struct lc_counts counts_of_line(const struct lc_staging_report *before,
                                       const struct lc_staging_report *end)
{
    struct lc_counts was = {0}, sum = {0};

    counts_add(&was, before->nodes);
    counts_add(&sum, end->nodes);
    for (int k = 0; k < LC_COUNTS; k++)
        sum.count[k] = difference(sum.count[k], was.count[k]);
    sum.bytes_opened = difference(sum.bytes_opened, was.bytes_opened);
    return sum;
}

/* Add the counts of passed-through paths, or subtract them if 'sign' is -1. */
static void paths_add(struct lc_map *paths, const json_t *passed, int sign)
{
    const json_t *path;
    size_t i;

    json_array_foreach(passed, i, path)
    {
        const char *name = json_string_value(json_object_get(path, "path"));
        int64_t *count = name ? lc_map_object(paths, name, sizeof(*count)) : NULL;
        if (count)
            *count += sign * (int64_t)json_number(path, "count");
    }
}

static int by_count(const void *a, const void *b)
{
    const struct lc_map_entry *x = a, *y = b;
    int64_t m = *(int64_t *)x->value, n = *(int64_t *)y->value;

    return m > n ? -1 : m < n;
}

/* The paths with a count above zero, highest first; the caller frees the array. */
static struct lc_map_entry *paths_sort(const struct lc_map *paths, size_t *count)
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

static void count_paths(const json_t *before, const json_t *passed, struct lc_run_statistics *out)
{
    struct lc_map paths = {0};
    size_t count;

    paths_add(&paths, passed, 1);
    paths_add(&paths, before, -1);
    struct lc_map_entry *entry = paths_sort(&paths, &count);
    for (size_t i = 0; i < count && i < LC_RUN_PATHS; i++) {
        char *path = strdup(entry[i].key);
        if (path)
            out->path[out->paths++] =
                (struct lc_run_path){path, (uint64_t) * (int64_t *)entry[i].value};
    }
    free(entry);
    lc_map_free(&paths, free);
}

/* A job that uses the image on some of the nodes as well; NULL if there is none. */
static const char *other_job_find(const json_t *nodes)
{
    const json_t *node;
    const char *job = NULL;
    size_t i;

    json_array_foreach(nodes, i, node)
    {
        if (!job)
            job = json_string_value(json_object_get(node, "other_job"));
    }
    return job;
}

static void count_operations(const struct lc_staging_report *before,
                             const struct lc_staging_report *end, struct lc_run_statistics *out)
{
    struct lc_counts sum = counts_of_line(before, end);

    out->counted = json_array_size(end->nodes) > 0 ? LC_RUN_COUNTED : LC_RUN_NO_ANSWER;
    if (out->counted == LC_RUN_NO_ANSWER)
        return;
    for (int i = 0; i < LC_COUNTS; i++)
        out->answered += lc_count_is_answered(i) ? sum.count[i] : 0;
    out->passed = lc_counts_passed(&sum);
    out->processes = sum.count[LC_COUNT_PROCESSES];
    out->bytes_opened = sum.bytes_opened;
    const char *job = other_job_find(end->nodes);
    if (!job)
        job = other_job_find(before->nodes);
    snprintf(out->other_job, sizeof(out->other_job), "%s", job ? job : "");
    count_paths(before->passed, end->passed, out);
}

/* What as many processes would have asked without the image: each as much as one of the recording,
 * on average. */
static uint64_t plain_operations(const char *file, uint64_t processes)
{
    struct lc_image *image = lc_image_open(file, NULL);
    size_t len = 0;
    const char *text = image ? lc_image_provenance(image, &len) : NULL;
    json_t *p = text ? json_loadb(text, len, 0, NULL) : NULL;
    double asked = json_number_value(json_object_get(p, LC_PROVENANCE_ASKED));
    double programs = json_number_value(json_object_get(p, LC_PROVENANCE_PROGRAMS));

    json_decref(p);
    lc_image_close(image);
    return programs > 0 && asked >= 0 && asked < 1e12
               ? (uint64_t)(asked / programs * (double)processes + 0.5)
               : 0;
}

static enum lc_run_staged how_staged(const struct lc_job_run *run)
{
    if (run->was_staged)
        return LC_RUN_STAGED_EARLIER;
    if (run->stages_itself)
        return LC_RUN_STAGED_BY_RANKS;
    if (run->is_staged)
        return run->staged.fresh == 0 ? LC_RUN_STAGED_NOTHING : LC_RUN_STAGED;
    return LC_RUN_NOT_STAGED;
}

void lc_job_run_count(const struct lc_job_run *run, const struct lc_staging_report *end,
                      struct lc_run_statistics *out)
{
    *out = (struct lc_run_statistics){
        .has_checked = run->has_checked,
        .check_s = run->check_s,
        .entries = run->entries,
        .staged = how_staged(run),
        .via = run->staged.via,
        .stage_s = run->staged.seconds,
        .nodes = run->staged.ok,
        .stage_bytes = run->staged.bytes,
        .launch_s = run->launch_s,
        .end_s = run->end_s,
        .total_s = run->check_s + run->staged.seconds + run->launch_s + run->end_s,
    };
    if (end)
        count_operations(&run->before, end, out);
    if (out->processes > 0)
        out->plain = plain_operations(run->use, out->processes);
}
