/* SPDX-License-Identifier: MIT */
/* exchange.c - import runs from exports; remove runs */
#include "results/exchange.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "results/local_copy.h"
#include "results/db.h"
#include "results/insert.h"
#include "results/run_json.h"
#include "results/spool.h"

int lc_exchange_put_run(const struct lc_results *r, const struct lc_run *run,
                        struct lc_exchange *count, struct lc_error *err)
{
    if (!r->db) {
        count->added++;
        return lc_spool_put(r, run, err);
    }
    switch (lc_insert_put(r, run)) {
    case LC_PUT_ADDED:
        count->added++;
        return 0;
    case LC_PUT_UPDATED:
        count->updated++;
        return 0;
    case LC_PUT_KNOWN:
        count->known++;
        return 0;
    case LC_PUT_FAILED:
        break;
    }
    return lc_db_fail(r, "write to", err);
}

/* The next character that is not white space, or EOF. */
static int char_next(FILE *in)
{
    int c;

    do
        c = getc(in);
    while (c != EOF && isspace(c));
    return c;
}

/* Reads the next run of the list; not the whole list, as an export may be larger than memory. 1
 * with *value, which the caller releases; 0 at the end of the list; -1 with err filled. */
static int run_read_next(FILE *in, json_t **value, const char *file, long n, struct lc_error *err)
{
    json_error_t why;
    int c = char_next(in);

    if (c == ',' || (n == 0 && c == '['))
        c = char_next(in);
    else if (c != ']')
        return lc_error_set(err, "'%s' is no export of results: %s", file,
                            n ? "a run is not followed by ',' or ']'"
                              : "it does not begin with '[' (make one with: loadcast results "
                                "export --json)");
    if (c == ']')
        return 0;
    ungetc(c, in);
    *value = json_loadf(in, JSON_DISABLE_EOF_CHECK, &why);
    return *value ? 1
                  : lc_error_set(err, "'%s', run %ld, line %d, column %d: %s", file, n + 1,
                                 why.line, why.column, why.text);
}

static int run_put_json(const struct lc_results *r, json_t *value, const char *file, long n,
                        struct lc_exchange *count, struct lc_error *err)
{
    struct lc_error why;
    struct lc_run run;

    if (lc_run_from_json(value, &run, &why) < 0)
        return lc_error_set(err, "'%s', run %ld: %s", file, n + 1, why.text);
    int rc = lc_exchange_put_run(r, &run, count, err);
    lc_run_release(&run);
    return rc;
}

static int runs_put_all(const struct lc_results *r, FILE *in, const char *file,
                        struct lc_exchange *count, struct lc_error *err)
{
    json_t *value;
    int rc;

    for (long n = 0; (rc = run_read_next(in, &value, file, n, err)) > 0; n++) {
        rc = run_put_json(r, value, file, n, count, err);
        json_decref(value);
        if (rc < 0)
            return -1;
    }
    return rc;
}

int lc_exchange_put_export(const struct lc_results *r, const char *file, struct lc_exchange *count,
                           struct lc_error *err)
{
    bool standard = strcmp(file, "-") == 0;
    FILE *in = standard ? stdin : fopen(file, "re");

    if (!in)
        return lc_error_errno(err, "cannot read '%s'", file);
    int rc = runs_put_all(r, in, standard ? "standard input" : file, count, err);
    if (!standard)
        fclose(in);
    return rc;
}

int lc_results_import(struct lc_results *r, const char *file, struct lc_exchange *count,
                      struct lc_error *err)
{
    if (r->db && lc_db_exec(r, "BEGIN IMMEDIATE") < 0)
        return lc_db_fail(r, "write to", err);
    int rc = lc_exchange_put_export(r, file, count, err);
    if (r->db && rc == 0 && lc_db_exec(r, "COMMIT") < 0)
        rc = lc_db_fail(r, "write to", err);
    if (r->db && rc < 0)
        lc_db_exec(r, "ROLLBACK");
    return rc;
}

static int runs_remove(const struct lc_results *r, const struct lc_run_filter *filter,
                       struct lc_error *err)
{
    static const char delete_runs[] = "DELETE FROM run WHERE" LC_RUN_WHERE;
    sqlite3_stmt *stmt = lc_db_prepare(r, delete_runs);

    if (stmt)
        lc_run_filter_bind(stmt, filter);
    if (lc_db_finish(stmt) < 0)
        return lc_db_fail(r, "remove runs from", err);
    lc_db_exec(r,
               "VACUUM"); /* shrinks the file; a failure is ignored, the file then keeps its size */
    return 0;
}

static int run_count(void *arg, const struct lc_run *run)
{
    (void)run;
    ++*(long *)arg;
    return 0;
}

int lc_results_prune(const char *file, const struct lc_run_filter *filter, bool dry, long *count,
                     struct lc_error *err)
{
    struct lc_results *r = lc_results_open(file, LC_RESULTS_READ, err);
    struct lc_local_copy copy;

    *count = 0;
    if (!r)
        return -1;
    int rc = lc_results_each(r, filter, 0, run_count, count, err);
    lc_results_close(r);
    if (rc < 0 || dry || *count == 0)
        return rc;
    if (lc_local_copy_begin(&copy, file, err) < 0)
        return -1;
    rc = runs_remove(copy.results, filter, err);
    return lc_local_copy_end(&copy, rc == 0, rc == 0 ? err : NULL) < 0 ? -1 : rc;
}
