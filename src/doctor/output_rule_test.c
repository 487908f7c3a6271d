/* SPDX-License-Identifier: MIT */
#include "doctor/output_rule.h"

#include "util/test.h"

/* Is 'x' like the plain outputs 'a' and 'b', by the rule 'way'? */
static bool is_like(enum lc_output_way way, const char *a, const char *b, const char *x)
{
    struct lc_output_rule rule;

    assert_int_equal(lc_output_rule_learn(&rule, a, b), 0);
    assert_int_equal(rule.way, way);
    bool is = lc_output_rule_matches(&rule, x, NULL);
    lc_output_rule_free(&rule);
    return is;
}

static void equal_outputs_are_compared_exactly(void **state)
{
    (void)state;
    assert_true(is_like(LC_OUTPUT_EXACT, "a 1\n", "a 1\n", "a 1\n"));
    assert_false(is_like(LC_OUTPUT_EXACT, "a 1\n", "a 1\n", "a 2\n"));
    assert_false(is_like(LC_OUTPUT_EXACT, "a\nb\n", "a\nb\n", "b\na\n"));
    assert_false(is_like(LC_OUTPUT_EXACT, "a\n", "a\n", ""));
    assert_true(is_like(LC_OUTPUT_EXACT, "", "", ""));
    assert_false(is_like(LC_OUTPUT_EXACT, "", "", "b\n"));
}

static void ranks_print_in_any_order(void **state)
{
    (void)state;
    assert_true(
        is_like(LC_OUTPUT_SORTED, "rank 0\nrank 1\n", "rank 1\nrank 0\n", "rank 1\nrank 0\n"));
    assert_false(
        is_like(LC_OUTPUT_SORTED, "rank 0\nrank 1\n", "rank 1\nrank 0\n", "rank 1\nrank 1\n"));
}

static void ranks_may_print_into_the_line_of_another(void **state)
{
    struct lc_output_rule rule;

    (void)state;
    assert_int_equal(lc_output_rule_learn(&rule, "done\ndone\n", "done\ndone\n"), 0);
    assert_false(lc_output_rule_matches(&rule, "donedone\n\n", NULL));
    lc_output_rule_allow_torn(&rule);
    assert_true(lc_output_rule_matches(&rule, "donedone\n\n", NULL));
    assert_false(lc_output_rule_matches(&rule, "seam\ndone\nseam\ndone\n", NULL));
    assert_false(lc_output_rule_matches(&rule, "done\n", NULL));
    lc_output_rule_free(&rule);
    assert_int_equal(lc_output_rule_learn(&rule, "done\ndone\n", "dodone\nne\n"), 0);
    lc_output_rule_allow_torn(&rule);
    assert_int_equal(rule.way, LC_OUTPUT_TORN);
    assert_true(lc_output_rule_matches(&rule, "donedone\n\n", NULL));
    assert_false(lc_output_rule_matches(&rule, "done\ngone\n", NULL));
    lc_output_rule_free(&rule);
}

static void only_numbers_that_differ_may_differ(void **state)
{
    static const char *const a = "pid 17 sum 4950 at 0x7f00 took 0.12 s\n";
    static const char *const b = "pid 9918 sum 4950 at 0x6a4c took 0.3 s\n";

    (void)state;
    assert_true(is_like(LC_OUTPUT_NUMBERS, a, b, "pid 5 sum 4950 at 0x1 took 11.0 s\n"));
    assert_false(is_like(LC_OUTPUT_NUMBERS, a, b, "pid 5 sum 4951 at 0x1 took 11.0 s\n"));
    assert_false(is_like(LC_OUTPUT_NUMBERS, a, b, "pid 5 sum 4950 at 0x1 used 11.0 s\n"));
    assert_false(is_like(LC_OUTPUT_NUMBERS, a, b, ""));
}

static void ranks_with_numbers_in_any_order(void **state)
{
    static const char *const a = "x took 1\ny 2\nz\n", *const b = "y 4\nx took 3\nz\n";

    (void)state;
    assert_true(is_like(LC_OUTPUT_SORTED_NUMBERS, a, b, "z\ny 9\nx took 8\n"));
    assert_false(is_like(LC_OUTPUT_SORTED_NUMBERS, a, b, "z\ny 9\nw took 8\n"));
}

static void random_words_are_no_difference(void **state)
{
    static const char *const a = "in /tmp/abc\nsum 7\n", *const b = "in /tmp/xyz\nsum 7\n";

    (void)state;
    assert_true(is_like(LC_OUTPUT_WORDS, a, b, "in /tmp/uvw\nsum 7\n"));
    assert_false(is_like(LC_OUTPUT_WORDS, a, b, "in /tmp/uvw\nsum 8\n"));
    assert_false(is_like(LC_OUTPUT_WORDS, a, b, "in /tmp/uvw more\nsum 7\n"));
}

static void of_outputs_of_any_length_the_common_lines_count(void **state)
{
    static const char *const a = "begin\nstep\nend 1\n", *const b = "begin\nstep\nstep\nend 2\n";

    (void)state;
    assert_true(is_like(LC_OUTPUT_COMMON, a, b, "begin\nstep\nstep\nstep\nend 3\n"));
    assert_false(is_like(LC_OUTPUT_COMMON, a, b, "begin\nstep\nstep\nstep\n"));
}

static void variables_of_our_own_are_no_difference(void **state)
{
    (void)state;
    assert_true(is_like(LC_OUTPUT_EXACT, "A=1\n", "A=1\n",
                        "A=1\nLD_AUDIT=/x\nexport LOADCAST_NODE=/y\ndeclare -x LD_PRELOAD=z\n"));
    assert_false(is_like(LC_OUTPUT_EXACT, "A=1\n", "A=1\n", "A=1\nLOADCAST failed\n"));
}

static void the_first_difference_is_told(void **state)
{
    struct lc_output_rule rule;
    struct lc_buf why = {0};

    (void)state;
    assert_int_equal(lc_output_rule_learn(&rule, "a\nb\n", "a\nb\n"), 0);
    assert_false(lc_output_rule_matches(&rule, "a\nc\td\n", &why));
    assert_string_equal(lc_buf_text(&why), "plain 'b', here 'c\\td'");
    lc_buf_clear(&why);
    assert_false(lc_output_rule_matches(&rule, "a\n", &why));
    assert_string_equal(lc_buf_text(&why), "plain 'b', here it is missing");
    lc_buf_free(&why);
    lc_output_rule_free(&rule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_outputs_are_compared_exactly),
        cmocka_unit_test(ranks_print_in_any_order),
        cmocka_unit_test(ranks_may_print_into_the_line_of_another),
        cmocka_unit_test(only_numbers_that_differ_may_differ),
        cmocka_unit_test(ranks_with_numbers_in_any_order),
        cmocka_unit_test(random_words_are_no_difference),
        cmocka_unit_test(of_outputs_of_any_length_the_common_lines_count),
        cmocka_unit_test(variables_of_our_own_are_no_difference),
        cmocka_unit_test(the_first_difference_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
