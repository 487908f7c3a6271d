/* SPDX-License-Identifier: MIT */
/* global_scope_test.c - the hash of the global scope tells equal scopes from others */
#include "util/test.h"

#include "client/bindings/global_scope.h"
#include "client/bindings/test_fixture.h"

static struct fake_section section;
static struct lc_bindings recorded;
static struct lc_global_scope scope;
static uint8_t is_global[FAKE_OBJECTS];

static int set_up(void **state)
{
    static const uint32_t first[] = {0, 1, 2}, second[] = {3, 2, 1};

    (void)state;
    fake_section_make(&section);
    for (uint32_t i = 0; i < FAKE_OBJECTS; i++)
        section.object[i].identity = 100 + i;
    fake_section_group(&section, 0, LC_BIND_GROUP_START, 0, first, 3);
    fake_section_group(&section, 1, 0, 0, second, 3);
    fake_section_open(&section, &recorded);
    memset(&scope, 0, sizeof(scope));
    memset(is_global, 0, sizeof(is_global));
    scope.is_global = is_global;
    return 0;
}

static uint64_t hash_of(const uint64_t *identity, uint32_t count)
{
    uint64_t hash = 0;

    for (uint32_t i = 0; i < count; i++)
        hash = lc_bindings_mix(hash, identity[i]);
    return hash;
}

static void a_group_is_added_in_its_order(void **state)
{
    static const uint64_t identity[] = {100, 101, 102};

    (void)state;
    assert_int_equal(scope.hash, 0);
    assert_true(lc_global_scope_add_group(&scope, &recorded, &recorded.group[0]));
    assert_int_equal(scope.count, 3);
    assert_int_equal(scope.hash, hash_of(identity, 3));
}

static void what_is_global_already_keeps_its_place(void **state)
{
    static const uint64_t identity[] = {100, 101, 102, 103};

    (void)state;
    lc_global_scope_add_group(&scope, &recorded, &recorded.group[0]);
    assert_true(lc_global_scope_add_group(&scope, &recorded, &recorded.group[1]));
    assert_int_equal(scope.count, 4);
    assert_int_equal(scope.hash, hash_of(identity, 4));
}

static void another_order_is_another_scope(void **state)
{
    (void)state;
    lc_global_scope_add_group(&scope, &recorded, &recorded.group[0]);
    lc_global_scope_add_group(&scope, &recorded, &recorded.group[1]);
    uint64_t hash = scope.hash;
    set_up(state);
    lc_global_scope_add_group(&scope, &recorded, &recorded.group[1]);
    lc_global_scope_add_group(&scope, &recorded, &recorded.group[0]);
    assert_int_equal(scope.count, 4);
    assert_int_not_equal(scope.hash, hash);
}

static void an_unloaded_object_leaves_no_trace(void **state)
{
    static const uint64_t identity[] = {100, 102};

    (void)state;
    lc_global_scope_add_group(&scope, &recorded, &recorded.group[0]);
    lc_global_scope_remove(&scope, 1);
    assert_int_equal(scope.hash, hash_of(identity, 2));
    assert_false(is_global[1]);
    assert_true(is_global[2]);
}

static void calls_that_load_nothing_count(void **state)
{
    static const uint64_t identity[] = {100, 101, 102, 9};

    (void)state;
    lc_global_scope_add_group(&scope, &recorded, &recorded.group[0]);
    assert_true(lc_global_scope_add_calls(&scope, 9));
    assert_int_equal(scope.hash, hash_of(identity, 4));
}

static void a_full_scope_says_so(void **state)
{
    (void)state;
    scope.count = LC_OBJECTS_MAX - 1;
    assert_true(lc_global_scope_add_calls(&scope, 9));
    assert_false(lc_global_scope_add_calls(&scope, 9));
    assert_false(lc_global_scope_add_group(&scope, &recorded, &recorded.group[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_group_is_added_in_its_order, set_up),
        cmocka_unit_test_setup(what_is_global_already_keeps_its_place, set_up),
        cmocka_unit_test_setup(another_order_is_another_scope, set_up),
        cmocka_unit_test_setup(an_unloaded_object_leaves_no_trace, set_up),
        cmocka_unit_test_setup(calls_that_load_nothing_count, set_up),
        cmocka_unit_test_setup(a_full_scope_says_so, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
