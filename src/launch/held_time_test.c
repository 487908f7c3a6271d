/* SPDX-License-Identifier: MIT */
/* held_time_test.c - the prompt comes at most a tenth of the line's time later, and at most 1 s */
#include "launch/held_time.h"

#include "util/test.h"

static void test_tenth(void **state)
{
    (void)state;
    assert_true(lc_held_time_s(0.5) <= 0.05);
    assert_true(lc_held_time_s(0.5) > 0.049);
    assert_true(lc_held_time_s(9) <= 0.9);
    assert_true(lc_held_time_s(9) > 0.89);
}

static void test_longest(void **state)
{
    (void)state;
    assert_true(lc_held_time_s(9.999) < 1);
    assert_true(lc_held_time_s(10) == 1);
    assert_true(lc_held_time_s(100) == 1);
    assert_true(lc_held_time_s(1e9) == 1);
}

static void test_nothing(void **state)
{
    (void)state;
    assert_true(lc_held_time_s(0) == 0);
    assert_true(lc_held_time_s(-1) == 0);
}

static void test_watched(void **state)
{
    (void)state;
    for (double line_s = 0.1; line_s < 1000; line_s *= 1.1) {
        double ranks_s = lc_held_time_s(line_s);
        assert_true(lc_held_time_of_watched_s(line_s, false) <= line_s / 19.99);
        assert_true(lc_held_time_of_watched_s(line_s, false) <= 1);
        assert_true(ranks_s + lc_held_time_of_watched_s(line_s, true) <= lc_held_time_s(line_s));
    }
    assert_true(lc_held_time_of_watched_s(0.5, false) == 0); /* too short for an image */
    assert_true(lc_held_time_of_watched_s(5, false) > 0.2);
    assert_true(lc_held_time_of_watched_s(100, false) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tenth),
        cmocka_unit_test(test_longest),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_watched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
