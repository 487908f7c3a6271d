/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <errno.h>
#include <linux/fuse.h>

#include "stormfs/counters.h"

static void every_operation_has_a_name_and_its_opcode(void **state)
{
    (void)state;
    for (int op = 0; op < LC_OPS; op++)
        assert_non_null(lc_op_name(op));
    assert_string_equal(lc_op_name(lc_op_of_opcode(FUSE_LOOKUP)), "LOOKUP");
    assert_string_equal(lc_op_name(lc_op_of_opcode(FUSE_READDIRPLUS)), "READDIRPLUS");
    assert_string_equal(lc_op_name(lc_op_of_opcode(FUSE_RENAME2)), "RENAME");
    assert_string_equal(lc_op_name(lc_op_of_opcode(FUSE_SETLKW)), "SETLK");
    assert_string_equal(lc_op_name(lc_op_of_opcode(FUSE_POLL)), "OTHER");
    assert_string_equal(lc_op_name(lc_op_of_opcode(999)), "OTHER");
}

static void the_connections_own_requests_do_not_count(void **state)
{
    const uint32_t own[] = {FUSE_INIT, FUSE_DESTROY, FUSE_FORGET, FUSE_BATCH_FORGET,
                            FUSE_INTERRUPT};

    (void)state;
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        assert_int_equal(lc_op_of_opcode(own[i]), LC_OP_NONE);
}

static void data_and_closing_are_not_charged(void **state)
{
    (void)state;
    assert_true(lc_op_is_charged(LC_OP_LOOKUP));
    assert_true(lc_op_is_charged(LC_OP_OPEN));
    assert_true(lc_op_is_charged(LC_OP_READDIRPLUS));
    assert_false(lc_op_is_charged(LC_OP_READ));
    assert_false(lc_op_is_charged(LC_OP_WRITE));
    assert_false(lc_op_is_charged(LC_OP_FLUSH));
    assert_false(lc_op_is_charged(LC_OP_RELEASE));
    assert_false(lc_op_is_charged(LC_OP_RELEASEDIR));
    assert_false(lc_op_is_charged(LC_OP_NONE));
}

static void results_tell_absent_from_error(void **state)
{
    (void)state;
    assert_int_equal(lc_result_of_errno(0), LC_RESULT_OK);
    assert_int_equal(lc_result_of_errno(ENOENT), LC_RESULT_ABSENT);
    assert_int_equal(lc_result_of_errno(ENOTDIR), LC_RESULT_ABSENT);
    assert_int_equal(lc_result_of_errno(EACCES), LC_RESULT_ERROR);
}

static void totals_add_up_and_reset(void **state)
{
    static struct lc_counters a, total;

    (void)state;
    lc_counters_add(&a, LC_OP_LOOKUP, LC_RESULT_OK);
    lc_counters_add(&a, LC_OP_LOOKUP, LC_RESULT_ABSENT);
    lc_counters_add(&a, LC_OP_NONE, LC_RESULT_OK);
    a.bytes_read = 7;
    lc_counters_sum(&total, &a);
    lc_counters_sum(&total, &a);
    assert_int_equal(total.count[LC_OP_LOOKUP][LC_RESULT_OK], 2);
    assert_int_equal(total.count[LC_OP_LOOKUP][LC_RESULT_ABSENT], 2);
    assert_int_equal(total.bytes_read, 14);
    lc_counters_reset(&total);
    assert_int_equal(total.count[LC_OP_LOOKUP][LC_RESULT_OK], 0);
    assert_int_equal(total.bytes_read, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_has_a_name_and_its_opcode),
        cmocka_unit_test(the_connections_own_requests_do_not_count),
        cmocka_unit_test(data_and_closing_are_not_charged),
        cmocka_unit_test(results_tell_absent_from_error),
        cmocka_unit_test(totals_add_up_and_reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
