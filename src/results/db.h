/* SPDX-License-Identifier: MIT */
/* db.h - private to src/results: the open database, statements, and what SQLite's errors mean */
#ifndef LC_RESULTS_DB_H
#define LC_RESULTS_DB_H

#include <sqlite3.h>

#include "results/read.h"

struct lc_results {
    sqlite3 *db; /* NULL: runs are spooled */
    char *file;
    char *spool;  /* NULL: not a network file system */
    char *backup; /* NULL: nothing was upgraded */
    struct lc_kept *kept;
};

/* Statements that are prepared once, known by the address of their text. */
struct lc_kept {
    const char *sql[16];
    sqlite3_stmt *stmt[16];
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

/* The same for a statement run again and again: kept until the database is closed, handed out
 * reset. 'sql' is a literal. Caller: lc_db_step. */
sqlite3_stmt *lc_db_kept(const struct lc_results *results, const char *sql);

/* Run a kept statement that has no results; 0, or -1 without err. stmt may be NULL: -1. */
int lc_db_step(sqlite3_stmt *stmt);

/* Any bytes as text: what is not UTF-8 becomes \xNN; NULL becomes "". */
int lc_db_bind_text(sqlite3_stmt *stmt, int at, const char *bytes);

/* Run to its end and finalize; 0, or -1 without err. stmt may be NULL (not prepared): -1. */
int lc_db_finish(sqlite3_stmt *stmt);

/* One integer answer of 'sql', or 'otherwise' (also after an error). */
int64_t lc_db_number(const struct lc_results *results, const char *sql, int64_t otherwise);

/* Which runs pass a filter: what follows "WHERE" in any statement on the table 'run', and its
 * parameters. */
#define LC_RUN_MATCHES                                                                  \
    " (?1 = 0 OR id = ?1) AND (?2 IS NULL OR suite = ?2) AND (?3 IS NULL OR name = ?3)" \
    " AND (?4 IS NULL OR mode = ?4) AND (?5 IS NULL OR target = ?5)"                    \
    " AND (?6 IS NULL OR with_ = ?6) AND (?7 IS NULL OR cache = ?7)"                    \
    " AND (?8 IS NULL OR status = ?8) AND (?9 = 0 OR ranks = ?9) AND started_ns >= ?10" \
    " AND (?11 = 0 OR started_ns < ?11)"
#define LC_RUN_WHERE                                                                 \
    LC_RUN_MATCHES " AND (?12 = 0 OR id IN (SELECT id FROM run WHERE" LC_RUN_MATCHES \
                   " ORDER BY started_ns DESC LIMIT ?12))"
void lc_run_filter_bind(sqlite3_stmt *stmt, const struct lc_run_filter *filter);

/* Bring a new or older database to this program's schema; refuse a newer or foreign one. */
int lc_schema_ready(struct lc_results *results, enum lc_results_use use, struct lc_error *err);

#endif
