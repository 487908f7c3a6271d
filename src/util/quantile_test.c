/* SPDX-License-Identifier: MIT */
/* quantile_test.c - quantiles as numpy.quantile gives them */
#include "util/quantile.h"

#include <math.h>

#include "util/test.h"

static void values_between_two_are_interpolated(void **state)
{
    double value[] = {4, 1, 3, 2};

    (void)state;
    lc_sort_values(value, 4);
    assert_true(lc_quantile(value, 4, 0) == 1);
    assert_true(lc_quantile(value, 4, 0.25) == 1.75);
    assert_true(lc_quantile(value, 4, 0.5) == 2.5);
    assert_true(fabs(lc_quantile(value, 4, 0.95) - 3.85) < 1e-12);
    assert_true(lc_quantile(value, 4, 1) == 4);
}

static void one_value_is_all_quantiles_and_none_has_none(void **state)
{
    double value = 7;

    (void)state;
    assert_true(lc_quantile(&value, 1, 0.95) == 7);
    assert_true(isnan(lc_quantile(&value, 0, 0.5)));
}

static void a_tail_shows_the_one_slow_value_of_a_few(void **state)
{
    double value[20];

    (void)state;
    for (int i = 0; i < 20; i++)
        value[i] = i + 1;
    assert_true(lc_tail_quantile(value, 20, 0.95) == 19);
    assert_true(lc_tail_quantile(value, 19, 0.95) == 19);
    assert_true(lc_tail_quantile(value, 1, 0.95) == 1);
    assert_true(lc_tail_quantile(value, 20, 0) == 1);
    assert_true(isnan(lc_tail_quantile(value, 0, 0.95)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_between_two_are_interpolated),
        cmocka_unit_test(one_value_is_all_quantiles_and_none_has_none),
        cmocka_unit_test(a_tail_shows_the_one_slow_value_of_a_few),
    };
    return cmocka_run_group_tests_name("util/quantile", tests, NULL, NULL);
}
