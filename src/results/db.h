/* SPDX-License-Identifier: MIT */
/* db.h - private to src/results: the open database, SQL statements, and error messages for SQLite's
 * errors */
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

/* Statements that are prepared once; the key is the address of their text. */
struct lc_kept {
    const char *sql[16];
    sqlite3_stmt *stmt[16];
};

/* How long to wait while another process writes. */
enum { LC_DB_BUSY_MS = 10000 };

/* Fills err with a message for SQLite's last error: "cannot DOING 'FILE': why; what to do". Returns
 * -1. */
int lc_db_fail(const struct lc_results *results, const char *doing, struct lc_error *err);

/* Runs one or more SQL statements that return no rows. 0, or -1; then call lc_db_fail for the
 * message. */
int lc_db_exec(const struct lc_results *results, const char *sql);

/* Prepares a statement, which the caller finalizes. NULL on failure; then call lc_db_fail. */
sqlite3_stmt *lc_db_prepare(const struct lc_results *results, const char *sql);

/* As lc_db_prepare, for a statement that is run many times: it is prepared once, returned reset,
 * and finalized when the database is closed. 'sql' must be a string literal. Run it with
 * lc_db_step. */
sqlite3_stmt *lc_db_kept(const struct lc_results *results, const char *sql);

/* Runs a cached statement that returns no rows. 0, or -1 (also if stmt is NULL); then call
 * lc_db_fail. */
int lc_db_step(sqlite3_stmt *stmt);

/* Binds any bytes as text: bytes that are not UTF-8 become \xNN; NULL becomes "". */
int lc_db_bind_text(sqlite3_stmt *stmt, int at, const char *bytes);

/* Runs a statement to its end and finalizes it. 0, or -1 (also if stmt is NULL); then call
 * lc_db_fail. */
int lc_db_finish(sqlite3_stmt *stmt);

/* The integer that the query 'sql' returns, or 'otherwise' if it returns none or fails. */
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
