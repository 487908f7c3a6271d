/* SPDX-License-Identifier: MIT */
/* merge.c - merge spool files, databases and exports into one database */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "results/local_copy.h"
#include "results/db.h"
#include "results/exchange.h"
#include "results/run_json.h"

/* If the spool file of a reserved run has not changed for so long, the process that measured the
 * run must have died. */
enum { STALE_S = 7 * 24 * 3600 };

struct merge {
    struct lc_results *into;
    struct lc_exchange *count;
    struct lc_error *err;
    char **done; /* spool files to remove after the database is written */
    size_t dones, room;
};

static bool entry_is_spool_file(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return len > 5 && strcmp(entry->d_name + len - 5, ".json") == 0;
}

static bool run_is_over(const char *path, const struct lc_run *run)
{
    struct stat st;

    return run->status != LC_RUN_STARTED ||
           (stat(path, &st) == 0 && time(NULL) - st.st_mtime > STALE_S);
}

static int done_add(struct merge *m, const char *path)
{
    if (m->dones == m->room) {
        size_t more = m->room ? m->room * 2 : 64;
        char **bigger = realloc(m->done, more * sizeof(*bigger));
        if (!bigger)
            return -1;
        m->done = bigger;
        m->room = more;
    }
    return (m->done[m->dones] = strdup(path)) ? (int)(m->dones++, 0) : -1;
}

static void file_refuse(struct merge *m, const char *path, const char *why)
{
    char text[PATH_MAX + 1100];

    m->count->refused++;
    if (m->count->warn) {
        snprintf(text, sizeof(text), "left '%s' where it is: %s", path, why);
        m->count->warn(text);
    }
}

/* Merges one spool file. A file that cannot be read is reported, and does not stop the merge. */
static int file_merge(struct merge *m, const char *path)
{
    json_error_t bad;
    struct lc_error why;
    struct lc_run run;
    json_t *value = json_load_file(path, 0, &bad);
    int rc = 0;

    if (!value) {
        file_refuse(m, path, bad.text);
        return 0;
    }
    if (lc_run_from_json(value, &run, &why) < 0) {
        file_refuse(m, path, why.text);
    } else {
        rc = lc_exchange_put_run(m->into, &run, m->count, m->err);
        if (rc == 0 && run_is_over(path, &run))
            done_add(m, path);
        lc_run_release(&run);
    }
    json_decref(value);
    return rc;
}

static int directory_merge(struct merge *m, const char *dir)
{
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *d = opendir(dir);
    int rc = 0;

    if (!d)
        return lc_error_errno(m->err, "cannot read '%s'", dir);
    while (rc == 0 && (entry = readdir(d))) {
        if (!entry_is_spool_file(entry))
            continue;
        if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) < sizeof(path))
            rc = file_merge(m, path);
    }
    closedir(d);
    return rc;
}

static int run_merge(void *arg, const struct lc_run *run)
{
    struct merge *m = arg;

    return lc_exchange_put_run(m->into, run, m->count, m->err);
}

static bool file_is_database(const char *file)
{
    char magic[16] = "";
    FILE *in = fopen(file, "re");
    size_t len = in ? fread(magic, 1, sizeof(magic), in) : 0;

    if (in)
        fclose(in);
    return len == sizeof(magic) && memcmp(magic, "SQLite format 3", 16) == 0;
}

/* The highest id of a run. If the index to it is damaged, an upper bound from the size of the file
 * (at most 100 runs per page). */
static int64_t run_last_id(const struct lc_results *r)
{
    int64_t pages = lc_db_number(r, "PRAGMA page_count", 0);

    return lc_db_number(r, "SELECT max(id) FROM run", pages * 100);
}

static int run_ignore(void *arg, const struct lc_run *run)
{
    (void)arg;
    (void)run;
    return 0;
}

/* Reads a damaged database run by run, so that one unreadable run does not stop the merge. */
static int database_salvage(struct merge *m, const struct lc_results *from, const char *file)
{
    int64_t last = run_last_id(from);
    char text[PATH_MAX + 100];
    long lost = 0;

    for (long id = 1; id <= last; id++) {
        struct lc_run_filter one = {.id = id};
        if (lc_results_each(from, &one, LC_READ_ALL, run_ignore, NULL, NULL) < 0)
            lost++;
        else if (lc_results_each(from, &one, LC_READ_ALL, run_merge, m, m->err) < 0)
            return -1;
    }
    m->count->refused += lost;
    snprintf(text, sizeof(text), "%ld runs of '%s' could not be read", lost, file);
    if (lost && m->count->warn)
        m->count->warn(text);
    return 0;
}

static int source_merge(struct merge *m, const char *from)
{
    struct stat st;

    if (stat(from, &st) < 0)
        return lc_error_errno(m->err, "cannot merge '%s'", from);
    if (S_ISDIR(st.st_mode))
        return directory_merge(m, from);
    if (!file_is_database(from))
        return lc_exchange_put_export(m->into, from, m->count, m->err);
    struct lc_results *other = lc_results_open(from, LC_RESULTS_READ, m->err);
    if (!other)
        return -1;
    int rc = m->count->salvage ? database_salvage(m, other, from)
                               : lc_results_each(other, &(struct lc_run_filter){0}, LC_READ_ALL,
                                                 run_merge, m, m->err);
    lc_results_close(other);
    return rc;
}

static int sources_merge(struct merge *m, const char *own, const char *const *from, size_t froms)
{
    int rc = 0;

    if (lc_db_exec(m->into, "BEGIN IMMEDIATE") < 0)
        return lc_db_fail(m->into, "write to", m->err);
    if (access(own, F_OK) == 0)
        rc = directory_merge(m, own);
    for (size_t i = 0; rc == 0 && i < froms; i++)
        rc = source_merge(m, from[i]);
    if (rc == 0 && lc_db_exec(m->into, "COMMIT") < 0)
        rc = lc_db_fail(m->into, "write to", m->err);
    if (rc < 0)
        lc_db_exec(m->into, "ROLLBACK");
    return rc;
}

static void done_remove(struct merge *m, bool safe)
{
    for (size_t i = 0; i < m->dones; i++) {
        if (safe)
            unlink(m->done[i]);
        free(m->done[i]);
    }
    free(m->done);
}

int lc_results_merge(const char *file, const char *const *from, size_t froms,
                     struct lc_exchange *count, struct lc_error *err)
{
    char own[PATH_MAX];
    struct lc_local_copy copy;
    struct merge m = {.count = count, .err = err};

    if ((size_t)snprintf(own, sizeof(own), "%s.spool", file) >= sizeof(own))
        return lc_error_set(err, "the database's path is too long");
    if (lc_local_copy_begin(&copy, file, err) < 0)
        return -1;
    m.into = copy.results;
    int rc = sources_merge(&m, own, from, froms);
    if (lc_local_copy_end(&copy, rc == 0, rc == 0 ? err : NULL) < 0)
        rc = -1;
    done_remove(&m, rc == 0);
    if (rc == 0)
        rmdir(own); /* if empty */
    return rc;
}

long lc_results_waiting(const char *file)
{
    char own[PATH_MAX];
    struct dirent *entry;
    long count = 0;

    DIR *d =
        (size_t)snprintf(own, sizeof(own), "%s.spool", file) < sizeof(own) ? opendir(own) : NULL;
    while (d && (entry = readdir(d)))
        count += entry_is_spool_file(entry);
    if (d)
        closedir(d);
    return count;
}
