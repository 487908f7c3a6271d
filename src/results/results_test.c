/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/read.h"
#include "results/results.h"

static char dir[64], file[96];

static const struct lc_run_key key = {
    .suite = "test",
    .name = "numpy",
    .mode = "python-import",
    .target = "tmp",
    .ranks = 2,
    .nodes = 1,
    .with = "plain",
    .cache = "warm",
    .repetition = 1,
};
static const struct lc_run_place place = {.host = "here", .job = "17", .suite_text = "a: b\n"};

static int fresh_directory(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/lc-results-test.XXXXXX");
    assert_non_null(mkdtemp(dir));
    snprintf(file, sizeof(file), "%s/results.db", dir);
    return 0;
}

static int remove_directory(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", dir);
    return system(command);
}

static struct lc_results *must_open(enum lc_results_use use)
{
    struct lc_error err;
    struct lc_results *results = lc_results_open(file, use, &err);

    if (!results)
        fail_msg("%s", err.text);
    return results;
}

/* Expects two runs: numpy done, then one that died. */
static int look(void *arg, const struct lc_run *run)
{
    int *count = arg;

    assert_string_equal(run->key.name, "numpy");
    assert_string_equal(run->place.host, "here");
    assert_string_equal(run->place.job, "17");
    assert_string_equal(run->place.suite_text, "a: b\n");
    if ((*count)++ == 0) {
        assert_int_equal(run->status, LC_RUN_DONE);
        assert_int_equal(lc_run_phase(run, "total")->sample_ns[0], 3000000000);
        assert_int_equal(lc_run_phase(run, "import")->max_ns, 9);
        assert_true(lc_run_metric(run, LC_METRIC_OPERATIONS) == 684);
        assert_true(fabs(run->total_s - 3.75) < 1e-9);
    } else {
        assert_int_equal(run->status, LC_RUN_STARTED);
        assert_true(isnan(run->total_s));
        assert_int_equal(run->phases, 0);
    }
    return 0;
}

static void a_run_is_reserved_finished_and_read_back(void **state)
{
    int64_t total[] = {3000000000, 1}, import[] = {8, 9};
    const struct lc_run_phase phase[] = {{"total", total, 2}, {"import", import, 2}};
    const struct lc_run_metric metric[] = {{LC_METRIC_CHECK, 0.5}, {LC_METRIC_STAGE, 0.25}};
    struct lc_run_end end = {LC_RUN_DONE, NULL, NULL, phase, 2, metric, 2};
    struct lc_results *results = must_open(LC_RESULTS_WRITE);
    struct lc_run_uid uid, dead;
    struct lc_error err;
    int count = 0;

    (void)state;
    assert_int_equal(lc_results_reserve(results, &key, &place, &uid, &err), 0);
    assert_int_equal(lc_results_reserve(results, &key, &place, &dead, &err), 0);
    assert_int_equal(lc_results_finish(results, &uid, &end, &err), 0);
    assert_int_equal(lc_results_metric(results, &uid, LC_METRIC_OPERATIONS, 684, &err), 0);
    assert_int_equal(lc_results_finish(results, &uid, &end, &err), -1);
    assert_non_null(strstr(err.text, "ended before"));
    lc_results_close(results);
    results = must_open(LC_RESULTS_READ);
    assert_int_equal(
        lc_results_each(results, &(struct lc_run_filter){0}, LC_READ_ALL, look, &count, &err), 0);
    assert_int_equal(count, 2);
    lc_results_close(results);
}

static void a_failed_run_keeps_its_last_words(void **state)
{
    struct lc_run_end end = {LC_RUN_FAILED, "rank 1 ended with 1", "Traceback\nImportError: x\n"};
    struct lc_results *results = must_open(LC_RESULTS_WRITE);
    struct lc_run_uid uid;
    struct lc_error err;

    (void)state;
    assert_int_equal(lc_results_reserve(results, &key, &place, &uid, &err), 0);
    assert_int_equal(lc_results_finish(results, &uid, &end, &err), 0);
    lc_results_close(results);
    sqlite3 *db;
    sqlite3_stmt *stmt;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    sqlite3_prepare_v2(db, "SELECT status, total_s IS NULL, errors FROM run", -1, &stmt, NULL);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(stmt, 0), "failed");
    assert_int_equal(sqlite3_column_int(stmt, 1), 1);
    assert_string_equal((const char *)sqlite3_column_text(stmt, 2), end.errors);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
}

/* The file as it is, to see that nobody touched it. */
static size_t bytes_of(char *out, size_t size)
{
    FILE *in = fopen(file, "re");

    assert_non_null(in);
    size_t len = fread(out, 1, size, in);
    fclose(in);
    return len;
}

static void must_refuse(const char *because)
{
    static char before[65536], after[65536];
    struct lc_error err;
    size_t len = bytes_of(before, sizeof(before));

    for (int use = LC_RESULTS_READ; use <= LC_RESULTS_WRITE; use++) {
        assert_null(lc_results_open(file, (enum lc_results_use)use, &err));
        if (!strstr(err.text, because))
            fail_msg("'%s' does not say '%s'", err.text, because);
        assert_int_equal(bytes_of(after, sizeof(after)), len);
        assert_memory_equal(before, after, len);
    }
}

static void sql(const char *text)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void what_is_not_ours_is_never_touched(void **state)
{
    (void)state;
    sql("CREATE TABLE cookies (name TEXT)");
    must_refuse("not one of results");
}

static void a_newer_schema_is_refused(void **state)
{
    (void)state;
    lc_results_close(must_open(LC_RESULTS_WRITE));
    sql("PRAGMA journal_mode = DELETE; PRAGMA user_version = 99");
    must_refuse("newer Loadcast");
}

static void a_damaged_file_is_refused_with_the_way_out(void **state)
{
    FILE *out = fopen(file, "we");

    (void)state;
    fputs("this was a database before the file system had its day", out);
    for (int i = 0; i < 1000; i++)
        fputc('#', out);
    fclose(out);
    must_refuse("--salvage");
}

static void nothing_to_read_is_said(void **state)
{
    struct lc_error err;

    (void)state;
    assert_null(lc_results_open(file, LC_RESULTS_READ, &err));
    assert_non_null(strstr(err.text, "no results yet"));
    assert_int_equal(access(file, F_OK), -1);
}

int main(void)
{
#define EACH(TEST) cmocka_unit_test_setup_teardown(TEST, fresh_directory, remove_directory)
    const struct CMUnitTest tests[] = {
        EACH(a_run_is_reserved_finished_and_read_back),   EACH(a_failed_run_keeps_its_last_words),
        EACH(what_is_not_ours_is_never_touched),          EACH(a_newer_schema_is_refused),
        EACH(a_damaged_file_is_refused_with_the_way_out), EACH(nothing_to_read_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
