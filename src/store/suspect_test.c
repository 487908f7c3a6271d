/* SPDX-License-Identifier: MIT */
/* suspect_test.c - which part is off after which deaths, and how it is kept */
#include "store/suspect.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/test.h"

static char top[] = "/tmp/loadcast-suspect-XXXXXX";

static void died(struct lc_suspect *s)
{
    lc_suspect_died(s, LC_OFF_NOTHING, true, 139);
}

static void is(const struct lc_suspect *s, enum lc_suspect_state state, enum lc_off off)
{
    assert_int_equal(s->state, state);
    assert_int_equal(s->off, off);
}

static void test_a_part_that_was_seen_stays_off(void **state)
{
    (void)state;
    for (enum lc_off part = LC_OFF_BINDINGS; part < LC_OFFS; part++) {
        struct lc_suspect s = {.state = LC_SUSPECT_NONE};
        lc_suspect_died(&s, part, false, 139);
        is(&s, LC_SUSPECT_TRYING, part);
        lc_suspect_lived(&s);
        is(&s, LC_SUSPECT_KEPT, part);
        lc_suspect_lived(&s);
        is(&s, LC_SUSPECT_KEPT, part);
    }
}

static void test_bindings_come_first(void **state)
{
    struct lc_suspect s = {.state = LC_SUSPECT_NONE};

    (void)state;
    died(&s);
    is(&s, LC_SUSPECT_TRYING, LC_OFF_BINDINGS);
    lc_suspect_lived(&s);
    is(&s, LC_SUSPECT_KEPT, LC_OFF_BINDINGS);
    died(&s); /* nothing tells that it was us */
    is(&s, LC_SUSPECT_KEPT, LC_OFF_BINDINGS);
}

static void test_own_fault_costs_one_plain_run(void **state)
{
    struct lc_suspect s = {.state = LC_SUSPECT_NONE};
    int plain = 0;

    (void)state;
    for (int i = 0; i < 20; i++) {
        plain += s.off == LC_OFF_ALL;
        died(&s);
    }
    is(&s, LC_SUSPECT_OWN_FAULT, LC_OFF_NOTHING);
    assert_int_equal(plain, 1);
}

static void test_bindings_then_the_auditor_then_everything(void **state)
{
    static const enum lc_off order[] = {LC_OFF_BINDINGS, LC_OFF_AUDIT, LC_OFF_ALL};
    struct lc_suspect s = {.state = LC_SUSPECT_NONE};

    (void)state;
    for (int i = 0; i < 3; i++) {
        died(&s);
        is(&s, LC_SUSPECT_TRYING, order[i]);
        struct lc_suspect other = s;
        lc_suspect_lived(&other);
        is(&other, LC_SUSPECT_KEPT, order[i]);
    }
    died(&s);
    is(&s, LC_SUSPECT_OWN_FAULT, LC_OFF_NOTHING);
}

static void test_without_bindings_the_auditor_comes_first(void **state)
{
    struct lc_suspect s = {.state = LC_SUSPECT_NONE};

    (void)state;
    lc_suspect_died(&s, LC_OFF_NOTHING, false, 134);
    is(&s, LC_SUSPECT_TRYING, LC_OFF_AUDIT);
    died(&s);
    is(&s, LC_SUSPECT_TRYING, LC_OFF_ALL);
    died(&s);
    is(&s, LC_SUSPECT_OWN_FAULT, LC_OFF_NOTHING);
}

static void test_the_others_follow_a_part_that_was_seen(void **state)
{
    struct lc_suspect s = {.state = LC_SUSPECT_NONE};

    (void)state;
    lc_suspect_died(&s, LC_OFF_AUDIT, true, 139);
    is(&s, LC_SUSPECT_TRYING, LC_OFF_AUDIT);
    died(&s); /* without the auditor there were no bindings */
    is(&s, LC_SUSPECT_TRYING, LC_OFF_ALL);
    s = (struct lc_suspect){.state = LC_SUSPECT_NONE};
    lc_suspect_died(&s, LC_OFF_PYTHON, true, 139);
    is(&s, LC_SUSPECT_TRYING, LC_OFF_PYTHON);
    died(&s);
    is(&s, LC_SUSPECT_TRYING, LC_OFF_BINDINGS);
}

static void test_a_line_that_is_watched_has_one_part(void **state)
{
    struct lc_suspect s = {.state = LC_SUSPECT_NONE};

    (void)state;
    lc_suspect_died_watched(&s, 139);
    is(&s, LC_SUSPECT_TRYING, LC_OFF_WATCHING);
    struct lc_suspect other = s;
    lc_suspect_lived(&other);
    is(&other, LC_SUSPECT_KEPT, LC_OFF_WATCHING);
    died(&s);
    is(&s, LC_SUSPECT_OWN_FAULT, LC_OFF_NOTHING);
    lc_suspect_died_watched(&s, 139);
    is(&s, LC_SUSPECT_OWN_FAULT, LC_OFF_NOTHING);
}

static void test_kept_in_the_store(void **state)
{
    struct lc_suspect s = {.state = LC_SUSPECT_KEPT,
                           .off = LC_OFF_PYTHON,
                           .seen = LC_OFF_PYTHON,
                           .tried = 6,
                           .status = 139,
                           .stamp = 0x1234567890abcdef},
                      read;

    (void)state;
    lc_suspect_write(77, &s);
    lc_suspect_read(77, &read);
    is(&read, s.state, s.off);
    assert_int_equal(read.seen, s.seen);
    assert_int_equal(read.tried, s.tried);
    assert_int_equal(read.status, s.status);
    assert_int_equal(read.stamp, s.stamp);
    lc_suspect_read(78, &read);
    is(&read, LC_SUSPECT_NONE, LC_OFF_NOTHING);
    assert_true(lc_suspect_forget(77));
    assert_false(lc_suspect_forget(77));
    lc_suspect_write(77, &s);
    lc_suspect_write(78, &s);
    assert_int_equal(lc_suspect_forget_all(), 2);
    assert_int_equal(lc_suspect_id_of_key("app-x.py-0123456789abcdef"), 0x0123456789abcdef);
}

static int set_up(void **state)
{
    char path[64];

    (void)state;
    if (!mkdtemp(top))
        return -1;
    snprintf(path, sizeof(path), "%s/store", top);
    return setenv("LOADCAST_STORE", path, 1);
}

static int tear_down(void **state)
{
    char command[80];

    (void)state;
    snprintf(command, sizeof(command), "rm -r %s", top);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_part_that_was_seen_stays_off),
        cmocka_unit_test(test_bindings_come_first),
        cmocka_unit_test(test_own_fault_costs_one_plain_run),
        cmocka_unit_test(test_bindings_then_the_auditor_then_everything),
        cmocka_unit_test(test_without_bindings_the_auditor_comes_first),
        cmocka_unit_test(test_the_others_follow_a_part_that_was_seen),
        cmocka_unit_test(test_a_line_that_is_watched_has_one_part),
        cmocka_unit_test(test_kept_in_the_store),
    };

    return cmocka_run_group_tests_name("suspect", tests, set_up, tear_down);
}
