/* SPDX-License-Identifier: MIT */
/* glibc_versions_test.c - what is off with which glibc */
#include "util/test.h"

#include "node/arch.h"
#include "node/glibc_versions.h"

static const uint32_t all = (1u << LC_GLIBC_PART_COUNT) - 1;

static void outside_of_what_was_tested_all_is_off(void **state)
{
    (void)state;
    assert_int_equal(lc_glibc_untested(0), all);
    assert_int_equal(lc_glibc_untested(27), all);
    assert_int_equal(lc_glibc_untested(28), 1u << LC_GLIBC_NEEDED);
    assert_int_equal(lc_glibc_untested(34), 1u << LC_GLIBC_NEEDED);
    assert_int_equal(lc_glibc_untested(35), 0);
    assert_int_equal(lc_glibc_untested(41), 0);
    assert_int_equal(lc_glibc_untested(42), all);
    assert_int_equal(lc_glibc_untested(1000), all);
}

/* On aarch64 an auditor makes ld.so lose registers before glibc 2.35 (bug 26643). */
static void there_is_no_auditor_where_it_would_lose_registers(void **state)
{
    bool is_aarch64 = LC_ARCH_MACHINE == EM_AARCH64;

    (void)state;
    assert_int_equal(lc_glibc_audit_is_harmful(28), is_aarch64);
    assert_int_equal(lc_glibc_audit_is_harmful(34), is_aarch64);
    assert_false(lc_glibc_audit_is_harmful(35));
    assert_false(lc_glibc_audit_is_harmful(41));
    assert_false(lc_glibc_audit_is_harmful(0)); /* another C library */
}

/* The limits of aarch64 (35) and x86-64 (0), on either machine. */
static void a_limit_holds_for_known_versions_below_it(void **state)
{
    (void)state;
    assert_true(lc_glibc_is_before(1, 35));
    assert_true(lc_glibc_is_before(28, 35));
    assert_true(lc_glibc_is_before(34, 35));
    assert_false(lc_glibc_is_before(35, 35));
    assert_false(lc_glibc_is_before(41, 35));
    assert_false(lc_glibc_is_before(0, 35)); /* another C library */
    assert_false(lc_glibc_is_before(0, 0));
    assert_false(lc_glibc_is_before(1, 0));
    assert_false(lc_glibc_is_before(28, 0));
    assert_int_equal(LC_ARCH_AUDIT_FROM, LC_ARCH_MACHINE == EM_AARCH64 ? 35 : 0);
}

static void versions_are_read(void **state)
{
    (void)state;
    assert_int_equal(lc_glibc_minor("2.36"), 36);
    assert_int_equal(lc_glibc_minor("2.31-13+deb11u11"), 31);
    assert_true(lc_glibc_minor("2.99999999999999") > 1000);
    assert_int_equal(lc_glibc_minor("3.0"), 0);
    assert_int_equal(lc_glibc_minor(""), 0);
}

static void loaders_are_told_by_their_names(void **state)
{
    (void)state;
    assert_true(lc_glibc_is_loader("/lib64/ld-linux-x86-64.so.2"));
    assert_true(lc_glibc_is_loader("/lib/x86_64-linux-gnu/ld-2.31.so"));
    assert_false(lc_glibc_is_loader("/lib/ld-musl-x86_64.so.1"));
    assert_false(lc_glibc_is_loader("/usr/bin/ld"));
    assert_false(lc_glibc_is_loader(NULL));
}

/* No libc is known in this process: nothing is done by its inner ways. */
static void an_unknown_glibc_is_not_tested(void **state)
{
    (void)state;
    for (int i = 0; i < LC_GLIBC_PART_COUNT; i++) {
        assert_false(lc_glibc_is_tested(i));
        assert_non_null(lc_glibc_part_text(i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outside_of_what_was_tested_all_is_off),
        cmocka_unit_test(there_is_no_auditor_where_it_would_lose_registers),
        cmocka_unit_test(a_limit_holds_for_known_versions_below_it),
        cmocka_unit_test(versions_are_read),
        cmocka_unit_test(loaders_are_told_by_their_names),
        cmocka_unit_test(an_unknown_glibc_is_not_tested),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
