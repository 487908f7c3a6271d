/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <math.h>

#include "report/history.h"

enum { RUNS = 60 };

/* A point with a history: about 1 s, from 'slow_from' on 'slow' times as long. */
static void point_make(struct lc_report_point *point, struct lc_report_run *run,
                       struct lc_report_run **list, size_t slow_from, double slow)
{
    for (size_t i = 0; i < RUNS; i++) {
        run[i] = (struct lc_report_run){.total_s = (1 + 0.02 * (double)(i * 7 % 5)) *
                                                   (i >= slow_from ? slow : 1)};
        list[i] = &run[i];
    }
    *point = (struct lc_report_point){.run = list, .runs = RUNS};
}

static size_t slower_count(const struct lc_report_run *run)
{
    size_t n = 0;

    for (size_t i = 0; i < RUNS; i++)
        n += run[i].is_slower;
    return n;
}

static void a_quiet_history_has_no_marks(void **state)
{
    struct lc_report_run run[RUNS], *list[RUNS];
    struct lc_report_point point;

    (void)state;
    point_make(&point, run, list, RUNS, 1);
    lc_history_mark(&point);
    assert_int_equal(slower_count(run), 0);
    for (size_t i = 0; i < RUNS; i++)
        assert_false(run[i].is_outlier);
}

static void one_late_run_is_an_outlier_and_no_change(void **state)
{
    struct lc_report_run run[RUNS], *list[RUNS];
    struct lc_report_point point;

    (void)state;
    point_make(&point, run, list, RUNS, 1);
    run[20].total_s = 3;
    run[21].total_s = NAN; /* failed: not compared with anything */
    lc_history_mark(&point);
    for (size_t i = 0; i < RUNS; i++)
        assert_int_equal(run[i].is_outlier, i == 20);
    assert_int_equal(slower_count(run), 0);
}

static void a_change_is_marked_once_where_it_began(void **state)
{
    struct lc_report_run run[RUNS], *list[RUNS];
    struct lc_report_point point;

    (void)state;
    point_make(&point, run, list, 30, 1.4);
    lc_history_mark(&point);
    assert_int_equal(slower_count(run), 1);
    assert_true(run[30].is_slower);
    point_make(&point, run, list, 30, 0.7); /* faster is no fault */
    lc_history_mark(&point);
    assert_int_equal(slower_count(run), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_history_has_no_marks),
        cmocka_unit_test(one_late_run_is_an_outlier_and_no_change),
        cmocka_unit_test(a_change_is_marked_once_where_it_began),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
