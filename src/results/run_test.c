/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <math.h>
#include <string.h>

#include "results/run.h"
#include "results/run_json.h"
#include "results/text.h"

static void sums_up_over_ranks(void **state)
{
    int64_t hundred[100], four[] = {40, 10, 30, 20};
    struct lc_run_phase phase = {.sample_ns = hundred, .ranks = 100};

    (void)state;
    for (int i = 0; i < 100; i++)
        hundred[i] = 100 - i;
    assert_int_equal(lc_run_phase_sum_up(&phase), 0);
    assert_int_equal(phase.min_ns, 1);
    assert_int_equal(phase.median_ns, 50);
    assert_int_equal(phase.p95_ns, 95);
    assert_int_equal(phase.max_ns, 100);
    phase = (struct lc_run_phase){.sample_ns = four, .ranks = 4};
    assert_int_equal(lc_run_phase_sum_up(&phase), 0);
    assert_int_equal(phase.median_ns, 25);
    assert_int_equal(phase.p95_ns, 40);
    assert_int_equal(four[0], 40); /* samples stay in the order of ranks */
}

static void statuses_have_names(void **state)
{
    (void)state;
    for (int i = LC_RUN_STARTED; i <= LC_RUN_STOPPED; i++)
        assert_int_equal(lc_run_status_parse(lc_run_status_name((enum lc_run_status)i)), i);
    assert_int_equal(lc_run_status_parse("finished"), -1);
}

static void json_is_read_back_or_refused(void **state)
{
    int64_t sample[] = {5, 7};
    struct lc_run_phase phase = {"total", sample, 2, 5, 6, 7, 7};
    struct lc_run_metric metric = {"operations", 684};
    struct lc_run run = {.uid = "0123456789abcdef0123456789abcdef",
                         .status = LC_RUN_DONE,
                         .key = {.name = "num\xffpy", .ranks = 2, .nodes = 1},
                         .total_s = 7e-9,
                         .phase = &phase,
                         .phases = 1,
                         .metric = &metric,
                         .metrics = 1};
    struct lc_run back;
    struct lc_error err;
    json_t *value = lc_run_to_json(&run);

    (void)state;
    assert_int_equal(lc_run_from_json(value, &back, &err), 0);
    assert_string_equal(back.key.name, "num\\xffpy");
    assert_int_equal(lc_run_phase(&back, "total")->sample_ns[1], 7);
    assert_true(lc_run_metric(&back, "operations") == 684);
    assert_true(isnan(lc_run_metric(&back, "absent")));
    lc_run_release(&back);
    json_object_set_new(value, "ranks", json_integer(0));
    assert_int_equal(lc_run_from_json(value, &back, &err), -1);
    assert_non_null(strstr(err.text, "'ranks'"));
    json_object_set_new(value, "ranks", json_integer(2));
    json_object_set_new(value, "uid", json_string("../../etc/passwd"));
    assert_int_equal(lc_run_from_json(value, &back, &err), -1);
    json_decref(value);
}

static void long_errors_keep_their_last_lines(void **state)
{
    char text[9001];

    (void)state;
    memset(text, 'x', 9000);
    text[9000] = 0;
    assert_int_equal(strlen(lc_text_tail(text)), 4096);
    memcpy(text + 8990, "\nlast line", 10);
    assert_string_equal(lc_text_tail(text), "last line");
    assert_string_equal(lc_text_tail("short\n"), "short\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_up_over_ranks),
        cmocka_unit_test(statuses_have_names),
        cmocka_unit_test(json_is_read_back_or_refused),
        cmocka_unit_test(long_errors_keep_their_last_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
