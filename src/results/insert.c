/* SPDX-License-Identifier: MIT */
/* insert.c - write runs to the tables of the database */
#include "results/insert.h"

#include <inttypes.h>
#include <math.h>

#include "results/db.h"
#include "results/fields.h"
#include "util/buf.h"

/* The id of the row that holds these texts, which is inserted if absent; 0 after an error. The SQL
 * statements 'find' and 'make' take the same parameters. */
static int64_t row_find_or_insert(const struct lc_results *r, const char *find, const char *make,
                                  const void *of, const struct lc_field *field, int count)
{
    const char *sql[] = {find, make, find};
    int64_t id = 0;

    for (int i = 0; id == 0 && i < 3; i++) {
        sqlite3_stmt *stmt = lc_db_kept(r, sql[i]);
        for (int f = 0; stmt && f < count; f++)
            lc_db_bind_text(stmt, f + 1, lc_field_of(of, &field[f]));
        int rc = stmt ? sqlite3_step(stmt) : SQLITE_ERROR;
        if (rc == SQLITE_ROW)
            id = sqlite3_column_int64(stmt, 0);
        if (stmt)
            sqlite3_reset(stmt);
        if (rc != SQLITE_ROW && rc != SQLITE_DONE)
            return 0;
    }
    return id;
}

static int64_t place_find_or_insert(const struct lc_results *r, const struct lc_run_place *place)
{
    return row_find_or_insert(
        r,
        "SELECT id FROM place WHERE host = ? AND cpu = ? AND kernel = ? AND fs_type = ?"
        " AND fs_options = ? AND launcher = ? AND mpi = ? AND python = ? AND glibc = ?"
        " AND version = ?",
        "INSERT INTO place (host, cpu, kernel, fs_type, fs_options, launcher, mpi,"
        " python, glibc, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        place, lc_place_fields, 10);
}

static int64_t suite_find_or_insert(const struct lc_results *r, const struct lc_run_place *place)
{
    return row_find_or_insert(r, "SELECT id FROM suite WHERE text = ?",
                              "INSERT INTO suite (text) VALUES (?)", place, lc_place_fields + 11,
                              1);
}

int lc_insert_run(const struct lc_results *r, const struct lc_run *run)
{
    int64_t place = place_find_or_insert(r, &run->place),
            suite = suite_find_or_insert(r, &run->place);
    sqlite3_stmt *stmt =
        place && suite
            ? lc_db_kept(
                  r, "INSERT INTO run (uid, status, suite, name, mode, target, with_, cache, how, "
                     "ranks, nodes,"
                     " repetition, started_ns, ended_ns, reason, errors, job, place, suite_text)"
                     " VALUES (?, 'started', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, '', '', ?, ?, ?)")
            : NULL;
    int at = 1;

    if (!stmt)
        return -1;
    lc_db_bind_text(stmt, at++, run->uid);
    for (const struct lc_field *f = lc_key_fields; f->name; f++)
        lc_db_bind_text(stmt, at++, lc_field_of(&run->key, f));
    sqlite3_bind_int64(stmt, at++, run->key.ranks);
    sqlite3_bind_int64(stmt, at++, run->key.nodes);
    sqlite3_bind_int64(stmt, at++, run->key.repetition);
    sqlite3_bind_int64(stmt, at++, run->started_ns);
    lc_db_bind_text(stmt, at++, run->place.job);
    sqlite3_bind_int64(stmt, at++, place);
    sqlite3_bind_int64(stmt, at++, suite);
    return lc_db_step(stmt);
}

int64_t lc_insert_find(const struct lc_results *r, const char *uid, bool only_started)
{
    sqlite3_stmt *stmt =
        lc_db_kept(r, "SELECT id FROM run WHERE uid = ?1 AND (NOT ?2 OR status = 'started')");
    int64_t id = 0;

    if (!stmt)
        return 0;
    lc_db_bind_text(stmt, 1, uid);
    sqlite3_bind_int(stmt, 2, only_started);
    if (sqlite3_step(stmt) == SQLITE_ROW)
        id = sqlite3_column_int64(stmt, 0);
    sqlite3_reset(stmt);
    return id;
}

static int samples_insert(const struct lc_results *r, int64_t id, const struct lc_run_phase *p)
{
    struct lc_buf list = {0};
    sqlite3_stmt *stmt = lc_db_kept(r, "INSERT INTO sample (run, name, ns) VALUES (?, ?, ?)");

    for (size_t i = 0; i < p->ranks; i++)
        lc_buf_printf(&list, "%c%" PRId64, i ? ',' : '[', p->sample_ns[i]);
    lc_buf_putc(&list, ']');
    if (stmt) {
        sqlite3_bind_int64(stmt, 1, id);
        lc_db_bind_text(stmt, 2, p->name);
        lc_db_bind_text(stmt, 3, lc_buf_text(&list));
    }
    int rc = list.failed ? -1 : 0;
    lc_buf_free(&list);
    return lc_db_step(stmt) < 0 ? -1 : rc;
}

static int phase_insert(const struct lc_results *r, int64_t id, struct lc_run_phase p)
{
    if (lc_run_phase_sum_up(&p) < 0)
        return -1;
    sqlite3_stmt *stmt =
        lc_db_kept(r, "INSERT INTO phase (run, name, ranks, min_ns, median_ns, p95_ns, max_ns)"
                      " VALUES (?, ?, ?, ?, ?, ?, ?)");
    if (!stmt)
        return -1;
    sqlite3_bind_int64(stmt, 1, id);
    lc_db_bind_text(stmt, 2, p.name);
    sqlite3_bind_int64(stmt, 3, (int64_t)p.ranks);
    sqlite3_bind_int64(stmt, 4, p.min_ns);
    sqlite3_bind_int64(stmt, 5, p.median_ns);
    sqlite3_bind_int64(stmt, 6, p.p95_ns);
    sqlite3_bind_int64(stmt, 7, p.max_ns);
    if (lc_db_step(stmt) < 0)
        return -1;
    return p.sample_ns && p.ranks ? samples_insert(r, id, &p) : 0;
}

int lc_insert_metric(const struct lc_results *r, int64_t id, const char *name, double value)
{
    sqlite3_stmt *stmt =
        lc_db_kept(r, "INSERT OR REPLACE INTO metric (run, name, value) VALUES (?, ?, ?)");

    if (!stmt)
        return -1;
    sqlite3_bind_int64(stmt, 1, id);
    lc_db_bind_text(stmt, 2, name);
    sqlite3_bind_double(stmt, 3, value);
    return lc_db_step(stmt);
}

static int run_update(const struct lc_results *r, int64_t id, const struct lc_run *run)
{
    sqlite3_stmt *stmt = lc_db_kept(r, "UPDATE run SET status = ?, ended_ns = ?, total_s = ?,"
                                       " reason = ?, errors = ?, nodes = coalesce(?, nodes)"
                                       " WHERE id = ?");

    if (!stmt)
        return -1;
    lc_db_bind_text(stmt, 1, lc_run_status_name(run->status));
    sqlite3_bind_int64(stmt, 2, run->ended_ns);
    if (!isnan(run->total_s))
        sqlite3_bind_double(stmt, 3, run->total_s);
    lc_db_bind_text(stmt, 4, run->reason);
    lc_db_bind_text(stmt, 5, run->errors);
    if (run->key.nodes > 0)
        sqlite3_bind_int64(stmt, 6, run->key.nodes);
    sqlite3_bind_int64(stmt, 7, id);
    return lc_db_step(stmt);
}

int lc_insert_end(const struct lc_results *r, const struct lc_run *run)
{
    int64_t id = lc_insert_find(r, run->uid, true);

    if (id == 0)
        return sqlite3_errcode(r->db) == SQLITE_DONE || sqlite3_errcode(r->db) == SQLITE_OK ? 1
                                                                                            : -1;
    if (run_update(r, id, run) < 0)
        return -1;
    for (size_t i = 0; i < run->phases; i++)
        if (phase_insert(r, id, run->phase[i]) < 0)
            return -1;
    for (size_t i = 0; i < run->metrics; i++)
        if (!isnan(run->metric[i].value) &&
            lc_insert_metric(r, id, run->metric[i].name, run->metric[i].value) < 0)
            return -1;
    return 0;
}

enum lc_put lc_insert_put(const struct lc_results *r, const struct lc_run *run)
{
    enum lc_put what = LC_PUT_UPDATED;

    if (lc_insert_find(r, run->uid, false) == 0) {
        what = LC_PUT_ADDED;
        if (lc_insert_run(r, run) < 0)
            return LC_PUT_FAILED;
    }
    if (run->status == LC_RUN_STARTED)
        return what == LC_PUT_ADDED ? what : LC_PUT_KNOWN;
    int rc = lc_insert_end(r, run);
    return rc < 0 ? LC_PUT_FAILED : (rc > 0 ? LC_PUT_KNOWN : what);
}
