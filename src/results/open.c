/* SPDX-License-Identifier: MIT */
/* open.c - opening a results database, on a local or a network file system */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/db.h"
#include "results/network.h"
#include "results/spool.h"
#include "util/clock.h"
#include "util/path.h"

int lc_results_default(char *out, size_t size, struct lc_error *err)
{
    const char *file = getenv("LOADCAST_DB"), *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    int len;

    if (file && *file)
        len = snprintf(out, size, "%s", file);
    else if (data && *data == '/')
        len = snprintf(out, size, "%s/loadcast/results.db", data);
    else if (home && *home == '/')
        len = snprintf(out, size, "%s/.local/share/loadcast/results.db", home);
    else
        return lc_error_set(err, "no results database: HOME is not set; name one with --db");
    return len < 0 || (size_t)len >= size ? lc_error_set(err, "the database's path is too long")
                                          : 0;
}

/* Creates every missing directory above 'file'. Failures are ignored: opening the file then fails.
 */
static void parents_make(const char *file)
{
    char dir[PATH_MAX];

    for (const char *slash = strchr(file + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(dir, sizeof(dir), "%.*s", (int)(slash - file), file);
        mkdir(dir, 0777);
    }
}

/* A path as a URI for SQLite, special characters escaped. The caller frees it. */
static char *path_to_uri(const char *file, const char *how)
{
    static const char hex[] = "0123456789abcdef";
    char *uri = malloc(strlen(file) * 3 + strlen(how) + 8), *p;

    if (!uri)
        return NULL;
    p = stpcpy(uri, *file == '/' ? "file://" : "file:");
    for (; *file; file++) {
        if (strchr("?#%", *file)) {
            *p++ = '%';
            *p++ = hex[(unsigned char)*file >> 4];
            *p++ = hex[*file & 15];
        } else {
            *p++ = *file;
        }
    }
    strcpy(stpcpy(p, "?"), how);
    return uri;
}

static int database_open_as(struct lc_results *r, const char *how, int flags, struct lc_error *err)
{
    char *uri = path_to_uri(r->file, how);
    int rc = uri ? sqlite3_open_v2(uri, &r->db, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL)
                 : SQLITE_NOMEM;

    free(uri);
    if (rc != SQLITE_OK)
        return lc_db_fail(r, "open", err);
    sqlite3_busy_timeout(r->db, LC_DB_BUSY_MS);
    sqlite3_extended_result_codes(r->db, 1);
    return 0;
}

static bool log_exists(const char *file)
{
    char log[PATH_MAX];

    snprintf(log, sizeof(log), "%s-wal", file);
    return access(log, F_OK) == 0;
}

/* In WAL mode even a reader writes a file beside the database. Where that is not allowed, or where
 * locks cannot be trusted, the database is opened as immutable, without locks. */
static int database_open_to_read(struct lc_results *r, struct lc_error *err)
{
    if (access(r->file, R_OK) < 0)
        return lc_error_errno(err, "cannot read '%s'%s", r->file,
                              errno == ENOENT ? " (there are no results yet, or name it with --db)"
                                              : "");
    if (!r->spool && database_open_as(r, "mode=ro", SQLITE_OPEN_READONLY, err) == 0 &&
        lc_db_number(r, "SELECT count(*) FROM sqlite_master", -1) >= 0)
        return 0;
    int why = r->db ? sqlite3_errcode(r->db) & 0xff : SQLITE_CANTOPEN;
    if ((why != SQLITE_CANTOPEN && why != SQLITE_READONLY) || (!r->spool && log_exists(r->file)))
        return r->db ? lc_db_fail(r, "read", err) : -1;
    sqlite3_close(r->db);
    r->db = NULL;
    return database_open_as(r, "immutable=1", SQLITE_OPEN_READONLY, err);
}

static int database_open_to_write(struct lc_results *r, struct lc_error *err)
{
    struct stat st;

    if (stat(r->file, &st) == 0 && !S_ISREG(st.st_mode))
        return lc_error_set(err, "cannot open '%s': not a regular file", r->file);
    if (database_open_as(r, "mode=rwc", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err) < 0)
        return -1;
    return lc_db_exec(r, "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL") < 0
               ? lc_db_fail(r, "open", err)
               : 0;
}

/* Changes the file, so it is called only after the schema was found to be ours. */
static int wal_switch_on(struct lc_results *r, struct lc_error *err)
{
    return lc_db_exec(r, "PRAGMA journal_mode = WAL") < 0 ? lc_db_fail(r, "open", err) : 0;
}

static int database_open(struct lc_results *r, enum lc_results_use use, struct lc_error *err)
{
    if ((use == LC_RESULTS_READ ? database_open_to_read(r, err) : database_open_to_write(r, err)) <
            0 ||
        lc_schema_ready(r, use, err) < 0)
        return -1;
    return use == LC_RESULTS_WRITE ? wal_switch_on(r, err) : 0;
}

static bool is_busy(const struct lc_results *r)
{
    int why = r->db ? sqlite3_errcode(r->db) & 0xff : SQLITE_OK;

    return why == SQLITE_BUSY || why == SQLITE_LOCKED;
}

/* Where two processes make a database, or switch its log on, at the same moment, SQLite tells one
 * of them at once that the other is busy, without the wait that it was asked for: both would wait
 * for ever. */
static int database_open_patiently(struct lc_results *r, enum lc_results_use use,
                                   struct lc_error *err)
{
    enum { PAUSE_MS = 5 };
    uint64_t until = lc_clock_ns() + LC_DB_BUSY_MS * 1000000ull;
    int rc;

    while ((rc = database_open(r, use, err)) < 0 && is_busy(r) && !r->backup &&
           lc_clock_ns() < until) {
        sqlite3_close(r->db);
        r->db = NULL;
        sqlite3_sleep(PAUSE_MS);
    }
    return rc;
}

struct lc_results *lc_results_open(const char *file, enum lc_results_use use, struct lc_error *err)
{
    struct lc_results *r = calloc(1, sizeof(*r));
    int rc = -1;

    if (!r || !(r->file = strdup(file)) || !(r->kept = calloc(1, sizeof(*r->kept)))) {
        lc_error_errno(err, "cannot open '%s'", file);
        goto out;
    }
    if (use == LC_RESULTS_WRITE)
        parents_make(file);
    if (lc_network_has_file(file) && asprintf(&r->spool, "%s.spool", file) < 0) {
        r->spool = NULL;
        lc_error_errno(err, "cannot open '%s'", file);
        goto out;
    }
    rc = r->spool && use == LC_RESULTS_WRITE ? lc_spool_make(r, err)
                                             : database_open_patiently(r, use, err);
out:
    if (rc == 0)
        return r;
    lc_results_close(r);
    return NULL;
}

void lc_results_close(struct lc_results *r)
{
    if (!r)
        return;
    for (size_t i = 0; r->kept && i < sizeof(r->kept->stmt) / sizeof(*r->kept->stmt); i++)
        sqlite3_finalize(r->kept->stmt[i]);
    sqlite3_close(r->db);
    free(r->kept);
    free(r->file);
    free(r->spool);
    free(r->backup);
    free(r);
}

const char *lc_results_spool(const struct lc_results *r)
{
    return r->spool;
}

const char *lc_results_backup(const struct lc_results *r)
{
    return r->backup;
}
