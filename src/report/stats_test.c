/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <math.h>

#include "report/stats.h"

#define LIST(...)                                                                    \
    {                                                                                \
        (double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double), 0 \
    }

static void assert_near(double is, double expected)
{
    if (!(fabs(is - expected) <= 1e-6 * fabs(expected) + 1e-12))
        fail_msg("%g is not %g", is, expected);
}

static void quantiles_interpolate(void **state)
{
    struct lc_numbers five = LIST(1, 2, 3, 4, 10), none = {0};

    (void)state;
    assert_near(lc_median(&five), 3);
    assert_near(lc_numbers_quantile(&five, 0.95), 8.8);
    assert_near(lc_numbers_quantile(&five, 1), 10);
    assert_true(isnan(lc_median(&none)));
}

/* Expected values: scipy.stats.mannwhitneyu(..., method='exact' or 'asymptotic'). */
static void rank_test_agrees_with_scipy(void **state)
{
    struct lc_numbers a = LIST(1, 2, 3, 4, 5), b = LIST(6, 7, 8, 9, 10), c = LIST(2.5, 3.5, 6, 7);
    struct lc_numbers tied_a = LIST(1, 2, 2, 3, 4), tied_b = LIST(2, 3, 4, 5, 5, 6);

    (void)state;
    struct lc_rank_test t = lc_rank_test(&a, &b);
    assert_near(t.p, 0.007936507936507936);
    assert_near(t.effect, 1);
    assert_near(t.ratio, 8.0 / 3);
    t = lc_rank_test(&a, &c);
    assert_near(t.p, 0.2857142857142857);
    assert_near(t.effect, 0.5);
    t = lc_rank_test(&b, &a);
    assert_near(t.effect, -1);
    t = lc_rank_test(&tied_a, &tied_b);
    assert_near(t.p, 0.07794691458872482);
    t = lc_rank_test(&a, &a);
    assert_near(t.p, 1);
    assert_near(t.effect, 0);
}

static void large_samples_use_the_normal_tail(void **state)
{
    struct lc_numbers a = {0}, b = {0};

    (void)state;
    for (int i = 0; i < 100; i++) {
        lc_numbers_add(&a, i);
        lc_numbers_add(&b, i + 20.5);
    }
    lc_numbers_add(&a, NAN);
    assert_int_equal(a.n, 100);
    assert_near(lc_rank_test(&a, &b).p, 6.969630400874889e-06);
    lc_numbers_free(&a);
    lc_numbers_free(&b);
}

static void too_few_samples_cannot_decide(void **state)
{
    (void)state;
    assert_near(lc_rank_test_min_p(3, 3), 0.1);
    assert_near(lc_rank_test_min_p(4, 4), 2.0 / 70);
    assert_near(lc_rank_test_min_p(0, 4), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_interpolate),
        cmocka_unit_test(rank_test_agrees_with_scipy),
        cmocka_unit_test(large_samples_use_the_normal_tail),
        cmocka_unit_test(too_few_samples_cannot_decide),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
