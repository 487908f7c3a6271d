/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include "util/nearest.h"

static const char *const names[] = {"trace", "record", "report", "status", "exec", NULL};

static void suggests_what_was_meant(void **state)
{
    (void)state;
    assert_string_equal(lc_nearest("trcae", names), "trace");
    assert_string_equal(lc_nearest("recrod", names), "record");
    assert_string_equal(lc_nearest("stauts", names), "status");
    assert_string_equal(lc_nearest("exce", names), "exec");
}

static void stays_silent_when_nothing_is_near(void **state)
{
    (void)state;
    assert_null(lc_nearest("frobnicate", names));
    assert_null(lc_nearest("x", names));
    assert_null(lc_nearest("", names));
    assert_null(lc_nearest(
        "a-word-much-longer-than-any-name-a-person-would-give-to-an-option-or-so", names));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suggests_what_was_meant),
        cmocka_unit_test(stays_silent_when_nothing_is_near),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
