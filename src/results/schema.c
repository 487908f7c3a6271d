/* SPDX-License-Identifier: MIT */
/* schema.c - the tables of the database, their version, and upgrades from older versions
 *
 * SQLite's user_version holds the version of the schema, and application_id marks the database as
 * ours. A released step is never changed: each change of the tables is a new step. */
#include "results/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { APPLICATION = 0x4c434442 }; /* "LCDB" */

/* step[n] upgrades from version n to n + 1; version 0 is an empty database. */
static const char *const step[] = {
    /* Equal places and suites share a row. Samples have a table of their own, so that the table of
     * phases is small and fast to read. */
    "CREATE TABLE suite (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
    "CREATE TABLE place (id INTEGER PRIMARY KEY, host TEXT NOT NULL, cpu TEXT NOT NULL,"
    " kernel TEXT NOT NULL, fs_type TEXT NOT NULL, fs_options TEXT NOT NULL,"
    " launcher TEXT NOT NULL, mpi TEXT NOT NULL, python TEXT NOT NULL, glibc TEXT NOT NULL,"
    " version TEXT NOT NULL, UNIQUE (host, cpu, kernel, fs_type, fs_options, launcher, mpi,"
    " python, glibc, version));"
    "CREATE TABLE run (id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE,"
    " status TEXT NOT NULL CHECK (status IN ('started', 'done', 'failed', 'timeout', 'stopped')),"
    " suite TEXT NOT NULL, name TEXT NOT NULL, mode TEXT NOT NULL, target TEXT NOT NULL,"
    " ranks INTEGER NOT NULL CHECK (ranks > 0), nodes INTEGER NOT NULL CHECK (nodes > 0),"
    " with_ TEXT NOT NULL, cache TEXT NOT NULL, how TEXT NOT NULL, repetition INTEGER NOT NULL,"
    " started_ns INTEGER NOT NULL, ended_ns INTEGER NOT NULL, total_s REAL,"
    " reason TEXT NOT NULL, errors TEXT NOT NULL, job TEXT NOT NULL,"
    " place INTEGER NOT NULL REFERENCES place(id), suite_text INTEGER NOT NULL REFERENCES "
    "suite(id));"
    "CREATE TABLE phase (run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"
    " name TEXT NOT NULL, ranks INTEGER NOT NULL, min_ns INTEGER NOT NULL,"
    " median_ns INTEGER NOT NULL, p95_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL,"
    " PRIMARY KEY (run, name)) WITHOUT ROWID;"
    "CREATE TABLE sample (run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"
    " name TEXT NOT NULL, ns TEXT NOT NULL, PRIMARY KEY (run, name)) WITHOUT ROWID;"
    "CREATE TABLE metric (run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"
    " name TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (run, name)) WITHOUT ROWID;",
    /* An index to find the newest of many runs fast. */
    "CREATE INDEX run_started ON run (started_ns);",
};

enum { VERSION = sizeof(step) / sizeof(*step) };

static int64_t schema_version(const struct lc_results *r)
{
    return lc_db_number(r, "PRAGMA user_version", -1);
}

/* Upgrades from version 'from' to the newest, and commits the transaction that the caller has
 * begun. */
static int schema_upgrade(struct lc_results *r, int64_t from, struct lc_error *err)
{
    char *last = sqlite3_mprintf("PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
                                 APPLICATION, VERSION);
    int rc = 0;

    for (int64_t i = from; rc == 0 && i < VERSION; i++)
        rc = lc_db_exec(r, step[i]);
    if (rc == 0)
        rc = lc_db_exec(r, last);
    if (rc < 0)
        lc_db_fail(r, from ? "upgrade" : "make", err);
    sqlite3_free(last);
    return rc;
}

/* An unused name for the backup: 'FILE.v1.bak', or with a number appended if that exists. The
 * caller frees it; NULL if there is none. */
static char *backup_name(const char *file, int64_t version)
{
    char *name = NULL;

    for (int n = 0; n < 1000; n++) {
        free(name);
        if (asprintf(&name, n ? "%s.v%d.bak.%d" : "%s.v%d.bak", file, (int)version, n) < 0)
            return NULL;
        if (access(name, F_OK) < 0)
            return name;
    }
    free(name);
    return NULL;
}

static int backup_write(struct lc_results *r, int64_t version, struct lc_error *err)
{
    r->backup = backup_name(r->file, version);
    char *sql = r->backup ? sqlite3_mprintf("VACUUM INTO %Q", r->backup) : NULL;

    if (!sql)
        return lc_error_set(err, "cannot back up '%s': no name left for the copy", r->file);
    int rc = lc_db_exec(r, sql);
    sqlite3_free(sql);
    if (rc < 0) {
        lc_db_fail(r, "upgrade (its backup could not be written)", err);
        unlink(r->backup);
    }
    return rc;
}

static int schema_make_or_upgrade(struct lc_results *r, struct lc_error *err)
{
    int64_t seen = schema_version(r);

    if (seen > 0 && backup_write(r, seen, err) < 0)
        return -1;
    if (lc_db_exec(r, "BEGIN IMMEDIATE") < 0)
        return lc_db_fail(r, "open", err);
    int64_t now = schema_version(r); /* another process may have upgraded it meanwhile */
    if (now < VERSION ? schema_upgrade(r, now, err) == 0 : lc_db_exec(r, "COMMIT") == 0)
        return 0;
    lc_db_exec(r, "ROLLBACK");
    return -1;
}

static int foreign_refuse(const struct lc_results *r, struct lc_error *err)
{
    return lc_error_set(err,
                        "'%s' is a SQLite database, but not one of results; it was not touched: "
                        "name another file with --db",
                        r->file);
}

int lc_schema_ready(struct lc_results *r, enum lc_results_use use, struct lc_error *err)
{
    int64_t version = schema_version(r), tables, application;

    if (version < 0)
        return lc_db_fail(r, "open", err);
    tables = lc_db_number(r, "SELECT count(*) FROM sqlite_master", -1);
    application = lc_db_number(r, "PRAGMA application_id", -1);
    if (tables < 0 || application < 0)
        return lc_db_fail(r, "open", err);
    if (tables > 0 && application != APPLICATION)
        return foreign_refuse(r, err);
    if (version > VERSION)
        return lc_error_set(err,
                            "'%s' has schema %d, written by a newer Loadcast (this one knows up to "
                            "%d); it was not touched: use that version, or its 'results export'",
                            r->file, (int)version, VERSION);
    if (version == VERSION)
        return 0;
    if (use == LC_RESULTS_WRITE)
        return schema_make_or_upgrade(r, err);
    if (version == 0)
        return lc_error_set(err, "'%s' is empty: no run was ever written to it", r->file);
    return lc_error_set(err,
                        "'%s' has schema %d, this Loadcast reads %d; upgrade it (a backup is "
                        "made): loadcast results merge --db '%s'",
                        r->file, (int)version, VERSION, r->file);
}
