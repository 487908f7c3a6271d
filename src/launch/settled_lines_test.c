/* SPDX-License-Identifier: MIT */
/* settled_lines_test.c - a line is asked about once for each state of an image, and not for ever */
#include "launch/job_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/test.h"

enum { MANY = 32 };
static char top[] = "/tmp/loadcast-settled-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(top) ? setenv("LOADCAST_STORE", top, 1) : -1;
}

static int tear_down(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", top);
    return system(command);
}

/* Is the line "app MODE" worth asking about? If so, it has nothing to learn. */
static bool line_asks(uint64_t id, const char *mode)
{
    struct lc_run_options options = {.dir = NULL};
    char *argv[] = {(char *)"app", (char *)mode, NULL};
    struct lc_job_run run = {.options = &options, .argv = argv, .key = "app-0", .staging.id = id};

    bool wants = lc_job_run_wants_misses(&run);
    lc_job_run_note_settled(&run);
    assert_int_equal(lc_job_run_wants_misses(&run), wants); /* looked up once */
    return wants;
}

static void test_once(void **state)
{
    (void)state;
    assert_true(line_asks(1, "a"));
    assert_false(line_asks(1, "a"));
    assert_true(line_asks(1, "b"));
    assert_false(line_asks(1, "a"));
    assert_false(line_asks(1, "b"));
    assert_true(line_asks(2, "a"));
}

static void test_words(void **state)
{
    struct lc_run_options options = {.dir = NULL};
    char *two[] = {(char *)"app", (char *)"a", (char *)"b", NULL};
    struct lc_job_run run = {.options = &options, .argv = two, .key = "app-0", .staging.id = 3};

    (void)state;
    assert_true(line_asks(3, "a b"));
    assert_true(line_asks(3, "a"));
    assert_true(lc_job_run_wants_misses(&run));
}

static void test_many(void **state)
{
    char mode[8];

    (void)state;
    for (int i = 0; i < MANY; i++) {
        snprintf(mode, sizeof(mode), "%d", i);
        assert_true(line_asks(4, mode));
    }
    assert_false(line_asks(4, "another"));
    assert_true(line_asks(5, "another"));
}

/* Nothing is noted for a line that nobody has asked about, and nothing asked without learning. */
static void test_unasked(void **state)
{
    struct lc_run_options options = {.no_learn = true};
    char *argv[] = {(char *)"app", NULL};
    struct lc_job_run run = {.options = &options, .argv = argv, .key = "app-0", .staging.id = 6};

    (void)state;
    assert_false(lc_job_run_wants_misses(&run));
    lc_job_run_note_settled(&run);
    options.no_learn = false;
    assert_true(lc_job_run_wants_misses(&run));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_unasked),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
