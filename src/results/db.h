/* SPDX-License-Identifier: MIT */
/* db.h - private to src/results: the open database, statements, and what SQLite's errors mean */
#ifndef LC_RESULTS_DB_H
#define LC_RESULTS_DB_H

#include <sqlite3.h>

#include "results/results.h"

struct lc_results {
    sqlite3 *db; /* NULL: runs are spooled */
    char *file;
    char *spool;  /* NULL: not a network file system */
    char *backup; /* NULL: nothing was upgraded */
};

/* How long to wait for another writer. */
enum { LC_DB_BUSY_MS = 10000 };

/* Fill err with what SQLite's last error means for a person: "cannot DOING 'FILE': why; what to
 * do". Returns -1. */
int lc_db_fail(const struct lc_results *results, const char *doing, struct lc_error *err);

/* Statements without results, one after another. -1 without err: follow with lc_db_fail. */
int lc_db_exec(const struct lc_results *results, const char *sql);

/* NULL if it cannot be prepared: follow with lc_db_fail. Caller: sqlite3_finalize. */
sqlite3_stmt *lc_db_prepare(const struct lc_results *results, const char *sql);

/* Any bytes as text: what is not UTF-8 becomes \xNN; NULL becomes "". */
int lc_db_bind_text(sqlite3_stmt *stmt, int at, const char *bytes);

/* Run to its end and finalize; 0, or -1 without err. stmt may be NULL (not prepared): -1. */
int lc_db_finish(sqlite3_stmt *stmt);

/* One integer answer of 'sql', or 'otherwise' (also after an error). */
int64_t lc_db_number(const struct lc_results *results, const char *sql, int64_t otherwise);

/* Bring a new or older database to this program's schema; refuse a newer or foreign one. */
int lc_schema_ready(struct lc_results *results, enum lc_results_use use, struct lc_error *err);

#endif
