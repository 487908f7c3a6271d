/* SPDX-License-Identifier: MIT */
/* read.c - read runs from the results database */
#include "results/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/db.h"
#include "results/fields.h"
#include "util/map.h"

struct reader {
    const struct lc_results *results;
    sqlite3_stmt *run, *place, *phase, *sample, *metric; /* all but run: NULL if not asked for */
    struct lc_map names; /* of phases and metrics, kept until the reader ends */
    struct lc_run_phase *phases;
    size_t phase_room;
    struct lc_run_metric *metrics;
    size_t metric_room;
};

#define COLUMNS                                                                                 \
    "id, uid, status, ranks, nodes, repetition, started_ns, ended_ns, total_s, reason, errors," \
    " place, suite_text, job, suite, name, mode, target, with_, cache, how"

static const char select_runs[] = "SELECT " COLUMNS " FROM run WHERE" LC_RUN_WHERE " ORDER BY id";

/* As above for one run by its id, without a search through the others. */
static const char select_one[] = "SELECT " COLUMNS " FROM run WHERE id = ?1 AND" LC_RUN_WHERE;

static const char select_place[] =
    "SELECT host, cpu, kernel, fs_type, fs_options, launcher, mpi, python, glibc, version,"
    " '', text FROM place, suite WHERE place.id = ? AND suite.id = ?";

void lc_run_filter_bind(sqlite3_stmt *stmt, const struct lc_run_filter *f)
{
    const char *text[] = {f->suite, f->name, f->mode, f->target, f->with, f->cache, f->status};

    sqlite3_bind_int64(stmt, 1, f->id);
    for (int i = 0; i < 7; i++)
        if (text[i])
            lc_db_bind_text(stmt, i + 2, text[i]);
    sqlite3_bind_int64(stmt, 9, f->ranks);
    sqlite3_bind_int64(stmt, 10, f->since_ns);
    sqlite3_bind_int64(stmt, 11, f->until_ns);
    sqlite3_bind_int64(stmt, 12, f->last);
}

static const char *column_text(sqlite3_stmt *stmt, int at)
{
    const unsigned char *text = sqlite3_column_text(stmt, at);

    return text ? (const char *)text : "";
}

/* Reads the columns in the order of COLUMNS. */
static void row_read(sqlite3_stmt *s, struct lc_run *run)
{
    int status = lc_run_status_parse(column_text(s, 2)), at = 14;

    *run = (struct lc_run){.id = (long)sqlite3_column_int64(s, 0)};
    snprintf(run->uid, sizeof(run->uid), "%s", column_text(s, 1));
    run->status = status < 0 ? LC_RUN_STARTED : (enum lc_run_status)status;
    run->key.ranks = (long)sqlite3_column_int64(s, 3);
    run->key.nodes = (long)sqlite3_column_int64(s, 4);
    run->key.repetition = (long)sqlite3_column_int64(s, 5);
    run->started_ns = sqlite3_column_int64(s, 6);
    run->ended_ns = sqlite3_column_int64(s, 7);
    run->total_s = sqlite3_column_type(s, 8) == SQLITE_NULL ? NAN : sqlite3_column_double(s, 8);
    run->reason = column_text(s, 9);
    run->errors = column_text(s, 10);
    run->place.job = column_text(s, 13);
    for (const struct lc_field *f = lc_key_fields; f->name; f++)
        *lc_field_at(&run->key, f) = column_text(s, at++);
}

static int place_read(const struct reader *r, struct lc_run *run)
{
    const char *job = run->place.job;
    int at = 0;

    sqlite3_reset(r->place);
    sqlite3_bind_int64(r->place, 1, sqlite3_column_int64(r->run, 11));
    sqlite3_bind_int64(r->place, 2, sqlite3_column_int64(r->run, 12));
    if (sqlite3_step(r->place) != SQLITE_ROW)
        return -1;
    for (const struct lc_field *f = lc_place_fields; f->name; f++)
        *lc_field_at(&run->place, f) = column_text(r->place, at++);
    run->place.job = job;
    return 0;
}

/* A copy of the name that lives as long as the reader; equal names share it. NULL: out of memory.
 */
static const char *name_keep(struct reader *r, const char *name)
{
    void **value = lc_map_at(&r->names, name);

    if (!value)
        return NULL;
    if (!*value) /* just added, so it is the last entry */
        *value = r->names.entry[r->names.count - 1].key;
    return *value;
}

/* Makes room for one more item of 'size' bytes. 0, or -1 if out of memory. */
static int list_grow(void **list, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return 0;
    size_t more = *room ? *room * 2 : 16;
    void *bigger = realloc(*list, more * size);
    if (!bigger)
        return -1;
    memset((char *)bigger + *room * size, 0, (more - *room) * size);
    *list = bigger;
    *room = more;
    return 0;
}

/* The place of a phase in the order in which phases happen; names marked by a command come last. */
static int phase_order(const char *name)
{
    static const char *const order[] = {"launch", "start", "import", "visit", "total"};
    int i = 0;

    while (i < 5 && strcmp(name, order[i]) != 0)
        i++;
    return i;
}

static void sort_phases(struct lc_run_phase *phase, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && phase_order(phase[k].name) < phase_order(phase[k - 1].name);
             k--) {
            struct lc_run_phase swap = phase[k];
            phase[k] = phase[k - 1];
            phase[k - 1] = swap;
        }
}

static int phases_read(struct reader *r, struct lc_run *run)
{
    int rc;

    sqlite3_reset(r->phase);
    sqlite3_bind_int64(r->phase, 1, run->id);
    while ((rc = sqlite3_step(r->phase)) == SQLITE_ROW) {
        if (list_grow((void **)&r->phases, &r->phase_room, run->phases, sizeof(*r->phases)) < 0)
            return -1;
        r->phases[run->phases] = (struct lc_run_phase){
            .name = name_keep(r, column_text(r->phase, 0)),
            .ranks = (size_t)sqlite3_column_int64(r->phase, 1),
            .min_ns = sqlite3_column_int64(r->phase, 2),
            .median_ns = sqlite3_column_int64(r->phase, 3),
            .p95_ns = sqlite3_column_int64(r->phase, 4),
            .max_ns = sqlite3_column_int64(r->phase, 5),
        };
        if (!r->phases[run->phases++].name)
            return -1;
    }
    sort_phases(r->phases, run->phases);
    run->phase = r->phases;
    return rc == SQLITE_DONE ? 0 : -1;
}

/* Parses one number and returns where it ends; NULL if there is none. strtoll takes three times as
 * long, and there may be millions of samples. */
static const char *number_parse(const char *p, int64_t *out)
{
    bool negative = *p == '-';
    const char *first = p += negative;
    uint64_t value = 0;

    for (; *p >= '0' && *p <= '9' && p - first < 19; p++)
        value = value * 10 + (uint64_t)(*p - '0');
    *out = negative ? -(int64_t)value : (int64_t)value;
    return p == first ? NULL : p;
}

/* Parses "[1,2,3]". NULL unless there are exactly 'count' numbers. The caller frees. */
static int64_t *samples_parse(const char *list, size_t count)
{
    bool can_be =
        count > 0 && *list == '[' &&
        count <
            strlen(list); /* 'count' may be damaged: do not allocate more than the text can hold */
    int64_t *sample = can_be ? malloc(count * sizeof(*sample)) : NULL;

    for (size_t i = 0; sample && i < count; i++) {
        list = number_parse(list + 1, &sample[i]);
        if (!list || *list != (i + 1 < count ? ',' : ']')) {
            free(sample);
            return NULL;
        }
    }
    return sample;
}

static int samples_read(struct reader *r, struct lc_run *run)
{
    int rc;

    sqlite3_reset(r->sample);
    sqlite3_bind_int64(r->sample, 1, run->id);
    while ((rc = sqlite3_step(r->sample)) == SQLITE_ROW) {
        for (size_t i = 0; i < run->phases; i++)
            if (!run->phase[i].sample_ns &&
                strcmp(run->phase[i].name, column_text(r->sample, 0)) == 0)
                run->phase[i].sample_ns =
                    samples_parse(column_text(r->sample, 1), run->phase[i].ranks);
    }
    return rc == SQLITE_DONE ? 0 : -1;
}

static int metrics_read(struct reader *r, struct lc_run *run)
{
    int rc;

    sqlite3_reset(r->metric);
    sqlite3_bind_int64(r->metric, 1, run->id);
    while ((rc = sqlite3_step(r->metric)) == SQLITE_ROW) {
        if (list_grow((void **)&r->metrics, &r->metric_room, run->metrics, sizeof(*r->metrics)) < 0)
            return -1;
        r->metrics[run->metrics] = (struct lc_run_metric){name_keep(r, column_text(r->metric, 0)),
                                                          sqlite3_column_double(r->metric, 1)};
        if (!r->metrics[run->metrics++].name)
            return -1;
    }
    run->metric = r->metrics;
    return rc == SQLITE_DONE ? 0 : -1;
}

static int run_read(struct reader *r, struct lc_run *run)
{
    row_read(r->run, run);
    if ((r->place && place_read(r, run) < 0) || (r->phase && phases_read(r, run) < 0) ||
        (r->sample && samples_read(r, run) < 0) || (r->metric && metrics_read(r, run) < 0))
        return -1;
    return 0;
}

static void samples_free(struct lc_run *run)
{
    for (size_t i = 0; i < run->phases; i++)
        free((int64_t *)run->phase[i].sample_ns);
}

static int reader_prepare(struct reader *r, const struct lc_run_filter *filter, unsigned what)
{
    const struct {
        unsigned bit;
        sqlite3_stmt **stmt;
        const char *sql;
    } parts[] = {
        {LC_READ_PLACE, &r->place, select_place},
        {LC_READ_PHASES, &r->phase,
         "SELECT name, ranks, min_ns, median_ns, p95_ns, max_ns FROM phase WHERE run = ?"},
        {LC_READ_SAMPLES, &r->sample, "SELECT name, ns FROM sample WHERE run = ?"},
        {LC_READ_METRICS, &r->metric, "SELECT name, value FROM metric WHERE run = ?"},
    };

    r->run = lc_db_prepare(r->results, filter->id ? select_one : select_runs);
    if (!r->run)
        return -1;
    lc_run_filter_bind(r->run, filter);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if ((what & parts[i].bit) && !(*parts[i].stmt = lc_db_prepare(r->results, parts[i].sql)))
            return -1;
    return 0;
}

static int runs_read(struct reader *r, lc_run_fn *fn, void *arg, struct lc_error *err)
{
    struct lc_run run;
    int step, rc = 0;

    while (rc == 0 && (step = sqlite3_step(r->run)) != SQLITE_DONE) {
        if (step != SQLITE_ROW || run_read(r, &run) < 0)
            return lc_db_fail(r->results, "read", err);
        rc = fn(arg, &run);
        samples_free(&run);
    }
    return rc;
}

int lc_results_each(const struct lc_results *results, const struct lc_run_filter *filter,
                    unsigned what, lc_run_fn *fn, void *arg, struct lc_error *err)
{
    struct reader r = {.results = results};
    int rc = reader_prepare(&r, filter, what) < 0 ? lc_db_fail(results, "read", err)
                                                  : runs_read(&r, fn, arg, err);

    sqlite3_finalize(r.run);
    sqlite3_finalize(r.place);
    sqlite3_finalize(r.phase);
    sqlite3_finalize(r.sample);
    sqlite3_finalize(r.metric);
    lc_map_free(&r.names, NULL);
    free(r.phases);
    free(r.metrics);
    return rc;
}
