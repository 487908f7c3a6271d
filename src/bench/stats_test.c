/* SPDX-License-Identifier: MIT */
/* stats_test.c - medians and their intervals against published tables */
#include "bench/stats.h"

#include <math.h>

#include "util/test.h"

static void median_of_odd_even_and_none(void **state)
{
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};

    (void)state;
    assert_true(lc_stats_median(odd, 3) == 2);
    assert_true(lc_stats_median(even, 4) == 2.5);
    assert_true(isnan(lc_stats_median(odd, 0)));
}

/* Known ranks of the 95 % interval: n = 6: 1 to 6, 9: 2 to 8, 20: 6 to 15, 100: 40 to 61. */
static void interval_has_the_known_ranks(void **state)
{
    const struct {
        size_t n;
        double low, high;
    } known[] = {{6, 1, 6}, {9, 2, 8}, {20, 6, 15}, {100, 40, 61}};
    double value[100], low, high;

    (void)state;
    for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
        for (size_t i = 0; i < known[k].n; i++)
            value[i] = (double)(known[k].n - i);
        assert_true(lc_stats_interval(value, known[k].n, &low, &high));
        assert_true(low == known[k].low);
        assert_true(high == known[k].high);
    }
    assert_false(lc_stats_interval(value, 5, &low, &high));
    assert_false(lc_stats_interval(value, 0, &low, &high));
}

static void settled_only_when_the_interval_is_narrow(void **state)
{
    double narrow[] = {100, 101, 99, 100, 100, 101}, wide[] = {100, 150, 60, 100, 100, 101};

    (void)state;
    assert_true(lc_stats_is_settled(narrow, 6, 0.02));
    assert_false(lc_stats_is_settled(narrow, 5, 0.02));
    assert_false(lc_stats_is_settled(wide, 6, 0.02));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(median_of_odd_even_and_none),
        cmocka_unit_test(interval_has_the_known_ranks),
        cmocka_unit_test(settled_only_when_the_interval_is_narrow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
