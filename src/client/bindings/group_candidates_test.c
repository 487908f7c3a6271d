/* SPDX-License-Identifier: MIT */
/* group_candidates_test.c - a group is recognised object by object */
#include "util/test.h"

#include "client/bindings/group_candidates.h"
#include "client/bindings/test_fixture.h"

static const uint64_t SCOPE = 77;
static struct fake_section section;
static struct lc_bindings recorded;
static struct lc_loaded_set loaded;
static uint64_t base[FAKE_OBJECTS];
static uint8_t is_excluded[FAKE_OBJECTS];
static struct lc_group_candidates all;

/* Two groups begin with object 1; they differ in their third member. */
static int set_up(void **state)
{
    static const uint32_t start[] = {0, 4}, first[] = {1, 2, 3}, second[] = {1, 2, 5},
                          elsewhere[] = {1, 5};

    (void)state;
    fake_section_make(&section);
    fake_section_group(&section, 0, LC_BIND_GROUP_START, 0, start, 2);
    fake_section_group(&section, 1, 0, SCOPE, first, 3);
    fake_section_group(&section, 2, 0, SCOPE, second, 3);
    fake_section_group(&section, 3, 0, SCOPE + 1, elsewhere, 2);
    fake_section_open(&section, &recorded);
    memset(base, 0, sizeof(base));
    memset(is_excluded, 0, sizeof(is_excluded));
    loaded.recorded = &recorded;
    loaded.base = base;
    loaded.is_excluded = is_excluded;
    return 0;
}

/* ld.so loads an object. */
static void load(uint32_t object)
{
    lc_group_candidates_filter(&all, &loaded, object);
    base[object] = 1;
}

static const struct lc_bind_group *complete(void)
{
    return lc_group_candidates_complete(&all, &loaded);
}

static void candidates_have_the_root_and_the_scope(void **state)
{
    (void)state;
    lc_group_candidates_find(&all, &recorded, 1, 0, SCOPE);
    assert_int_equal(all.count, 2);
    lc_group_candidates_find(&all, &recorded, 1, 0, SCOPE + 1);
    assert_int_equal(all.count, 1);
    assert_ptr_equal(all.item[0].group, &recorded.group[3]);
    lc_group_candidates_find(&all, &recorded, 1, 0, SCOPE + 2);
    assert_int_equal(all.count, 0);
    lc_group_candidates_find(&all, &recorded, 2, 0, SCOPE);
    assert_int_equal(all.count, 0);
}

static void a_start_is_no_dlopen(void **state)
{
    (void)state;
    lc_group_candidates_find(&all, &recorded, 0, 0, 0);
    assert_int_equal(all.count, 0);
    lc_group_candidates_find(&all, &recorded, 0, LC_BIND_GROUP_START, 123);
    assert_int_equal(all.count, 1); /* whatever the scope */
    lc_group_candidates_find(&all, &recorded, 1, LC_BIND_GROUP_START, SCOPE);
    assert_int_equal(all.count, 0);
}

static void the_last_object_decides(void **state)
{
    (void)state;
    lc_group_candidates_find(&all, &recorded, 1, 0, SCOPE);
    load(1);
    load(2);
    assert_int_equal(all.count, 2);
    assert_null(complete());
    load(5);
    assert_int_equal(all.count, 1);
    assert_ptr_equal(complete(), &recorded.group[2]);
}

static void an_unexpected_object_leaves_none(void **state)
{
    (void)state;
    lc_group_candidates_find(&all, &recorded, 1, 0, SCOPE);
    load(1);
    load(3); /* 2 was expected first */
    assert_int_equal(all.count, 0);
    assert_null(complete());
}

static void members_that_are_loaded_are_not_waited_for(void **state)
{
    (void)state;
    base[2] = base[3] = 1;
    lc_group_candidates_find(&all, &recorded, 1, 0, SCOPE);
    load(1);
    assert_null(complete()); /* object 5 may still come */
    lc_group_candidates_find(&all, &recorded, 1, 0, SCOPE);
    all.count = 1;
    base[1] = 0;
    load(1);
    assert_ptr_equal(complete(), &recorded.group[1]);
}

static void a_loaded_member_that_ld_so_does_not_recognise_is_loaded_again(void **state)
{
    (void)state;
    base[2] = is_excluded[2] = 1;
    lc_group_candidates_find(&all, &recorded, 1, 0, SCOPE);
    load(1);
    load(3); /* without 2: not as recorded */
    assert_int_equal(all.count, 0);
}

static void members_outside_of_the_section_are_no_candidate(void **state)
{
    (void)state;
    section.group[3].count = 1000;
    lc_group_candidates_find(&all, &recorded, 1, 0, SCOPE + 1);
    assert_int_equal(all.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(candidates_have_the_root_and_the_scope, set_up),
        cmocka_unit_test_setup(a_start_is_no_dlopen, set_up),
        cmocka_unit_test_setup(the_last_object_decides, set_up),
        cmocka_unit_test_setup(an_unexpected_object_leaves_none, set_up),
        cmocka_unit_test_setup(members_that_are_loaded_are_not_waited_for, set_up),
        cmocka_unit_test_setup(a_loaded_member_that_ld_so_does_not_recognise_is_loaded_again,
                               set_up),
        cmocka_unit_test_setup(members_outside_of_the_section_are_no_candidate, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
