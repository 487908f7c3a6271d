/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <stdlib.h>
#include <string.h>

#include "util/human.h"

static void writes_numbers_as_people_do(void **state)
{
    (void)state;
    assert_string_equal(lc_human_count(0).s, "0");
    assert_string_equal(lc_human_count(999).s, "999");
    assert_string_equal(lc_human_count(1234567).s, "1,234,567");
    assert_string_equal(lc_human_count(UINT64_MAX).s, "18,446,744,073,709,551,615");
    assert_string_equal(lc_human_bytes(512).s, "512 B");
    assert_string_equal(lc_human_bytes(98100000).s, "98.1 MB");
    assert_string_equal(lc_human_seconds(0.00025).s, "250 us");
    assert_string_equal(lc_human_seconds(0.9997).s, "1.0 s");
    assert_string_equal(lc_human_seconds(90).s, "90.0 s");
    assert_string_equal(lc_human_seconds(7200).s, "2.0 h");
}

static void reads_sizes_and_times(void **state)
{
    struct lc_error err;
    double v;

    (void)state;
    assert_int_equal(lc_parse_bytes("x", "64k", 0, 1e12, &v, &err), 0);
    assert_true(v == 64000);
    assert_int_equal(lc_parse_bytes("x", "2GiB", 0, 1e12, &v, &err), 0);
    assert_true(v == 2147483648.0);
    assert_int_equal(lc_parse_seconds("x", "250ms", 0, 10, &v, &err), 0);
    assert_true(v == 0.25);
}

static void refuses_what_is_not_a_number(void **state)
{
    static const char *const bad[] = {"", "x", "1x", "1 ", "nan", "inf", "--", "1e999"};
    struct lc_error err;
    double d;
    long l;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_int_equal(lc_parse_long("x", bad[i], 0, 10, &l, &err), -1);
        assert_int_equal(lc_parse_double("x", bad[i], 0, 10, &d, &err), -1);
        assert_int_equal(lc_parse_bytes("x", bad[i], 0, 10, &d, &err), -1);
        assert_int_equal(lc_parse_seconds("x", bad[i], 0, 10, &d, &err), -1);
    }
    assert_int_equal(lc_parse_long("--n", "99999999999999999999", 0, 10, &l, &err), -1);
    assert_non_null(strstr(err.text, "from 0 to 10"));
}

static void reads_a_list_or_nothing(void **state)
{
    struct lc_error err;
    long *list;
    size_t n;

    (void)state;
    assert_int_equal(lc_parse_long_list("x", "1,24,1024", 1, 10000, &list, &n, &err), 0);
    assert_int_equal(n, 3);
    assert_int_equal(list[2], 1024);
    free(list);
    assert_int_equal(lc_parse_long_list("x", "1,,2", 1, 9, &list, &n, &err), -1);
    assert_int_equal(lc_parse_long_list("x", "", 1, 9, &list, &n, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_numbers_as_people_do),
        cmocka_unit_test(reads_sizes_and_times),
        cmocka_unit_test(refuses_what_is_not_a_number),
        cmocka_unit_test(reads_a_list_or_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
