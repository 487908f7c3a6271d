/* SPDX-License-Identifier: MIT */
/* db.c - SQL statements, and error messages for SQLite's errors */
#include "results/db.h"

#include <stdlib.h>
#include <string.h>

#include "results/text.h"

static int damage_report(const struct lc_results *r, const char *doing, struct lc_error *err)
{
    return lc_error_set(err,
                        "cannot %s '%s': it is damaged, or no results database (%s); nothing was "
                        "changed: restore '%s.v*.bak' if there is one, or save what can be read: "
                        "loadcast results merge --salvage --db saved.db '%s'",
                        doing, r->file, sqlite3_errmsg(r->db), r->file, r->file);
}

int lc_db_fail(const struct lc_results *r, const char *doing, struct lc_error *err)
{
    int why = sqlite3_errcode(r->db) & 0xff, system = sqlite3_system_errno(r->db);

    switch (why) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return lc_error_set(err,
                            "cannot %s '%s': another process has kept it locked for %d s; nothing "
                            "was changed: try again later, or find it with: fuser '%s'",
                            doing, r->file, LC_DB_BUSY_MS / 1000, r->file);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return damage_report(r, doing, err);
    case SQLITE_FULL:
        return lc_error_set(err,
                            "cannot %s '%s': no space left on its file system; what was there "
                            "before is kept: free some space and try again",
                            doing, r->file);
    case SQLITE_READONLY:
        return lc_error_set(err, "cannot %s '%s': it may not be written; check its permissions",
                            doing, r->file);
    default:
        return lc_error_set(err, "cannot %s '%s': %s%s%s", doing, r->file, sqlite3_errmsg(r->db),
                            system ? ": " : "", system ? strerror(system) : "");
    }
}

int lc_db_exec(const struct lc_results *r, const char *sql)
{
    return sqlite3_exec(r->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

sqlite3_stmt *lc_db_prepare(const struct lc_results *r, const char *sql)
{
    sqlite3_stmt *stmt = NULL;

    sqlite3_prepare_v2(r->db, sql, -1, &stmt, NULL);
    return stmt;
}

sqlite3_stmt *lc_db_kept(const struct lc_results *r, const char *sql)
{
    struct lc_kept *kept = r->kept;

    for (size_t i = 0; i < sizeof(kept->sql) / sizeof(*kept->sql); i++) {
        if (!kept->sql[i]) {
            kept->stmt[i] = lc_db_prepare(r, sql);
            kept->sql[i] = kept->stmt[i] ? sql : NULL;
            return kept->stmt[i];
        }
        if (kept->sql[i] == sql) {
            sqlite3_reset(kept->stmt[i]);
            sqlite3_clear_bindings(kept->stmt[i]);
            return kept->stmt[i];
        }
    }
    return NULL;
}

int lc_db_step(sqlite3_stmt *stmt)
{
    int rc = stmt ? sqlite3_step(stmt) : SQLITE_ERROR;

    if (stmt)
        sqlite3_reset(stmt);
    return rc == SQLITE_DONE ? 0 : -1;
}

int lc_db_bind_text(sqlite3_stmt *stmt, int at, const char *bytes)
{
    char *text = lc_text_to_utf8(bytes ? bytes : "");

    return text ? sqlite3_bind_text(stmt, at, text, -1, free) : SQLITE_NOMEM;
}

int lc_db_finish(sqlite3_stmt *stmt)
{
    int rc;

    if (!stmt)
        return -1;
    do
        rc = sqlite3_step(stmt);
    while (rc == SQLITE_ROW);
    return sqlite3_finalize(stmt) == SQLITE_OK ? 0 : -1;
}

int64_t lc_db_number(const struct lc_results *r, const char *sql, int64_t otherwise)
{
    sqlite3_stmt *stmt = lc_db_prepare(r, sql);

    if (stmt && sqlite3_step(stmt) == SQLITE_ROW)
        otherwise = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return otherwise;
}
