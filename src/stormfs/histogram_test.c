/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <stdlib.h>

#include "stormfs/histogram.h"

static void empty_is_zero(void **state)
{
    struct lc_histogram *h = calloc(1, sizeof(*h));

    (void)state;
    assert_true(lc_histogram_mean_ns(h) == 0);
    assert_int_equal(lc_histogram_quantile_ns(h, 0.99), 0);
    free(h);
}

static void quantiles_are_within_a_thirty_second(void **state)
{
    struct lc_histogram *h = calloc(1, sizeof(*h));

    (void)state;
    for (uint64_t i = 1; i <= 100000; i++)
        lc_histogram_add(h, i * 1000);
    for (int percent = 1; percent < 100; percent++) {
        double exact = percent * 1e6;
        double got = (double)lc_histogram_quantile_ns(h, percent / 100.0);
        assert_true(got >= exact && got <= exact * (1 + 1.0 / 32));
    }
    assert_true(lc_histogram_mean_ns(h) == 50000500);
    assert_int_equal(lc_histogram_quantile_ns(h, 1.0), 100000000);
    assert_int_equal(h->max_ns, 100000000);
    free(h);
}

static void extremes_have_a_bucket(void **state)
{
    struct lc_histogram *h = calloc(1, sizeof(*h));

    (void)state;
    lc_histogram_add(h, 0);
    assert_int_equal(lc_histogram_quantile_ns(h, 0.5), 0);
    lc_histogram_add(h, UINT64_MAX);
    assert_int_equal(h->count, 2);
    lc_histogram_reset(h);
    assert_int_equal(h->count, 0);
    assert_int_equal(lc_histogram_quantile_ns(h, 0.5), 0);
    free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_is_zero),
        cmocka_unit_test(quantiles_are_within_a_thirty_second),
        cmocka_unit_test(extremes_have_a_bucket),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
