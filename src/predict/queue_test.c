/* SPDX-License-Identifier: MIT */
/* queue_test.c - mean value analysis against closed forms */
#include "util/test.h"

#include <math.h>

#include "predict/queue.h"

static void expect_near(double got, double want)
{
    if (fabs(got - want) > 1e-9 * fabs(want))
        fail_msg("%.12g, expected %.12g", got, want);
}

/* Without a queue everybody takes what one takes. */
static void only_thinking_never_queues(void **state)
{
    const struct lc_queue_demand d = {.think_s = 3};

    (void)state;
    expect_near(lc_queue_solve(&d, 1).response_s, 3);
    expect_near(lc_queue_solve(&d, 1e6).response_s, 3);
    expect_near(lc_queue_solve(&d, 1e6).per_s, 1e6 / 3);
}

/* One station, no thinking: N customers take N times its demand. */
static void one_station_alone_serves_in_turn(void **state)
{
    const struct lc_queue_demand d = {.seconds = {0.25}};

    (void)state;
    for (double n = 1; n < 2000; n *= 7) {
        expect_near(lc_queue_solve(&d, n).response_s, 0.25 * n);
        expect_near(lc_queue_solve(&d, n).waiting[LC_STATION_META], n);
    }
}

/* K equal stations without thinking: (N + K - 1) demands (balanced network). */
static void equal_stations_are_balanced(void **state)
{
    const struct lc_queue_demand two = {.seconds = {2, 2}}, three = {.seconds = {2, 2, 2}};

    (void)state;
    for (double n = 1; n < 300; n *= 3) {
        expect_near(lc_queue_solve(&two, n).response_s, 2 * (n + 1));
        expect_near(lc_queue_solve(&three, n).response_s, 2 * (n + 2));
    }
}

/* The machine repairman, M/M/1//N: throughput by the sum of the states' probabilities. */
static double repairman_per_s(double think_s, double service_s, int n)
{
    double weight = 1, sum = 1, idle;

    for (int k = 1; k <= n; k++) {
        weight *= (n - k + 1) * service_s / think_s;
        sum += weight;
    }
    idle = 1 / sum;
    return (1 - idle) / service_s;
}

static void a_delay_and_a_station_are_the_repairman(void **state)
{
    const struct lc_queue_demand d = {.think_s = 10, .seconds = {0.5}};

    (void)state;
    for (int n = 1; n <= 60; n++)
        expect_near(lc_queue_solve(&d, n).per_s, repairman_per_s(10, 0.5, n));
}

static void far_beyond_saturation_the_bottleneck_alone_counts(void **state)
{
    const struct lc_queue_demand d = {.think_s = 20, .seconds = {0.05, 0.01}};
    struct lc_queue_result r = lc_queue_solve(&d, 1e6);

    (void)state;
    assert_true(fabs(r.response_s / (1e6 * 0.05) - 1) < 1e-6);
    assert_true(r.share[LC_STATION_META] > 0.999999 && fabs(r.share[LC_STATION_DATA] - 0.2) < 1e-6);
}

static void leaving_the_recursion_changes_nothing(void **state)
{
    const struct lc_queue_demand d = {.think_s = 1, .seconds = {0.01, 0.002}};

    (void)state;
    for (double n = 100; n <= 1000; n += 100) {
        double here = lc_queue_solve(&d, n).response_s, next = lc_queue_solve(&d, n + 1).response_s;
        assert_true(next - here > 0 && next - here < 0.01 * (1 + 1e-6));
    }
}

static void servers_divide_the_demand(void **state)
{
    const struct lc_queue_demand d = {.seconds = {1}, .servers = {4}};

    (void)state;
    expect_near(lc_queue_solve(&d, 1).response_s, 1);
    assert_true(fabs(lc_queue_solve(&d, 4000).response_s / 1000 - 1) < 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_thinking_never_queues),
        cmocka_unit_test(one_station_alone_serves_in_turn),
        cmocka_unit_test(equal_stations_are_balanced),
        cmocka_unit_test(a_delay_and_a_station_are_the_repairman),
        cmocka_unit_test(far_beyond_saturation_the_bottleneck_alone_counts),
        cmocka_unit_test(leaving_the_recursion_changes_nothing),
        cmocka_unit_test(servers_divide_the_demand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
