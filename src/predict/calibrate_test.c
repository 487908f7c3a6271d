/* SPDX-License-Identifier: MIT */
/* calibrate_test.c - what is made below a directory, and that slow servers are not asked for ever
 */
#include "util/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "predict/calibrate.h"

/* Without patience each part ends after its first requests, and what they tell is a machine. */
static void every_part_ends_when_patience_does(void **state)
{
    char dir[] = "/tmp/loadcast-calibrate-test.XXXXXX";
    struct lc_calibration plan = lc_calibration_plan();
    struct lc_machine_model m, again;
    struct lc_error err = {""};
    char *text = NULL;
    size_t len;

    (void)state;
    assert_non_null(mkdtemp(dir));
    plan.patience_s = 0;
    if (lc_calibrate(&plan, dir, &m, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(m.misses_per_s >= 1 && m.lookups_per_s >= 1 && m.opens_per_s >= 1);
    assert_true(m.node_mb_s >= 0.1 && m.memory_mb_s >= 0.1 && m.meta_latency_us >= 0);
    FILE *out = open_memstream(&text, &len);
    lc_machine_write(&m, out);
    fclose(out);
    if (lc_machine_parse(&again, "x", text, &err) < 0 && !strstr(err.text, "without libyaml"))
        fail_msg("%s", err.text);
    free(text);
    assert_int_equal(rmdir(dir), 0); /* it is empty */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_ends_when_patience_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
