/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stormfs/once.h"

static void a_request_is_recognized_by_the_name_of_its_program(void **state)
{
    struct lc_once once = {0};

    (void)state;
    prctl(PR_SET_NAME, "check-of-a-job");
    assert_false(lc_once_count(&once, gettid())); /* nothing is named */
    assert_int_equal(lc_once_add(&once, "tar,check-of-a-job", NULL), 0);
    assert_true(lc_once_count(&once, gettid()));
    prctl(PR_SET_NAME, "check-of-a-jo");
    assert_false(lc_once_count(&once, gettid()));
    prctl(PR_SET_NAME, "check-of-a-jobs");
    assert_false(lc_once_count(&once, gettid()));
    assert_int_equal(once.program[1].requests, 1);
    lc_once_reset(&once);
    assert_int_equal(once.program[1].requests + once.program[0].requests, 0);
    assert_int_equal(once.count, 2);
}

static void *count_own(void *once)
{
    return lc_once_count(once, gettid()) ? once : NULL;
}

static void threads_and_children_run_the_same_program(void **state)
{
    struct lc_once once = {0};
    pthread_t thread;
    void *found;
    int status;

    (void)state;
    prctl(PR_SET_NAME, "reader");
    assert_int_equal(lc_once_add(&once, "reader", NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, count_own, &once), 0);
    pthread_join(thread, &found);
    assert_ptr_equal(found, &once);
    pid_t child = fork();
    if (child == 0)
        _exit(lc_once_count(&once, getpid()) ? 0 : 1);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void the_kernel_keeps_15_bytes_of_a_name(void **state)
{
    struct lc_once once = {0};

    (void)state;
    assert_int_equal(lc_once_add(&once, "stage-mpi.openmpi", NULL), 0);
    prctl(PR_SET_NAME, "stage-mpi.openm");
    assert_true(lc_once_count(&once, gettid()));
}

static void who_is_unknown_is_not_in_the_list(void **state)
{
    struct lc_once once = {0};

    (void)state;
    assert_int_equal(lc_once_add(&once, "reader", NULL), 0);
    assert_false(lc_once_count(&once, 0));
    assert_false(lc_once_count(&once, 0x7fffffff));
}

static void a_list_is_taken_whole_or_not_at_all(void **state)
{
    struct lc_once once = {0};
    struct lc_error err;
    char many[LC_ONCE_MOST * 4 + 8] = "p00";

    (void)state;
    assert_int_equal(lc_once_add(&once, "", &err), -1);
    assert_int_equal(lc_once_add(&once, "tar,,zstd", &err), -1);
    assert_int_equal(lc_once_add(&once, "tar,/bin/zstd", &err), -1);
    assert_non_null(strstr(err.text, "names without directories"));
    assert_int_equal(once.count, 0);
    for (int i = 1; i <= LC_ONCE_MOST; i++)
        snprintf(many + strlen(many), 8, ",p%02d", i);
    assert_int_equal(lc_once_add(&once, many, &err), -1);
    assert_int_equal(once.count, 0);
    assert_int_equal(lc_once_add(&once, "tar,tar", &err), 0);
    assert_int_equal(once.count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_recognized_by_the_name_of_its_program),
        cmocka_unit_test(threads_and_children_run_the_same_program),
        cmocka_unit_test(the_kernel_keeps_15_bytes_of_a_name),
        cmocka_unit_test(who_is_unknown_is_not_in_the_list),
        cmocka_unit_test(a_list_is_taken_whole_or_not_at_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
