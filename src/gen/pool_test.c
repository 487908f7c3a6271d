/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gen/pool.h"
#include "util/clock.h"
#include "util/run.h"

static struct lc_progress quiet;

static int count_up(void *context, size_t number, struct lc_error *err)
{
    (void)err;
    __atomic_fetch_add((size_t *)context, number + 1, __ATOMIC_SEQ_CST);
    return 0;
}

static size_t *shared_number(void)
{
    return mmap(NULL, sizeof(size_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void runs_every_job_once(void **state)
{
    size_t *sum = shared_number(), done = 0;
    struct lc_error err;

    (void)state;
    lc_pool_hold_signals();
    assert_int_equal(lc_pool_run(count_up, sum, 20, 3, &quiet, &done, &err), 0);
    lc_pool_release_signals();
    assert_int_equal(*sum, 210);
    assert_int_equal(done, 20);
    munmap(sum, sizeof(*sum));
}

static int fail_at_three(void *context, size_t number, struct lc_error *err)
{
    (void)context;
    if (number == 3)
        return lc_error_set(err, "job three is tired");
    if (number > 3)
        sleep(30);
    return 0;
}

static void a_failure_ends_the_others_at_once(void **state)
{
    uint64_t start = lc_clock_ns();
    struct lc_error err;
    size_t done = 0;

    (void)state;
    lc_pool_hold_signals();
    assert_int_equal(lc_pool_run(fail_at_three, NULL, 9, 4, &quiet, &done, &err), -1);
    lc_pool_release_signals();
    assert_string_equal(err.text, "job three is tired");
    assert_true(lc_clock_ns() - start < 20000000000u);
}

static int crash(void *context, size_t number, struct lc_error *err)
{
    (void)context;
    (void)number;
    (void)err;
    raise(SIGKILL);
    return 0;
}

static void a_job_that_dies_is_a_failure(void **state)
{
    struct lc_error err;
    size_t done = 0;

    (void)state;
    lc_pool_hold_signals();
    assert_int_equal(lc_pool_run(crash, NULL, 1, 1, &quiet, &done, &err), -1);
    lc_pool_release_signals();
    assert_non_null(strstr(err.text, "abnormally"));
}

static void says_why_a_command_failed(void **state)
{
    struct lc_argv argv = {0};
    struct lc_buf out = {0};
    struct lc_error err;

    (void)state;
    lc_argv_words(&argv, "sh -c");
    lc_argv_add(&argv, "echo noise >&2; echo x.c: fatal error: no such thing >&2; exit 3");
    assert_int_equal(lc_run(&argv, NULL, &err), -1);
    assert_string_equal(err.text, "'sh' failed: x.c: fatal error: no such thing");
    lc_argv_free(&argv);
    lc_argv_words(&argv, "/nowhere/at/all");
    assert_int_equal(lc_run(&argv, NULL, &err), -1);
    assert_non_null(strstr(err.text, strerror(ENOENT)));
    lc_argv_free(&argv);
    lc_argv_words(&argv, "  echo  two words ");
    assert_int_equal(lc_run_output(&argv, &out, &err), 0);
    assert_string_equal(lc_buf_text(&out), "two words\n");
    lc_buf_free(&out);
    lc_argv_free(&argv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_every_job_once),
        cmocka_unit_test(a_failure_ends_the_others_at_once),
        cmocka_unit_test(a_job_that_dies_is_a_failure),
        cmocka_unit_test(says_why_a_command_failed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
