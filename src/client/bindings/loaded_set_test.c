/* SPDX-License-Identifier: MIT */
/* loaded_set_test.c - which objects are loaded, and when names become ambiguous */
#include "util/test.h"

#include "client/bindings/loaded_set.h"
#include "client/bindings/test_fixture.h"

static struct fake_section section;
static struct lc_bindings recorded;
static struct lc_loaded_set set;
static uint64_t base[FAKE_OBJECTS];
static uint8_t is_excluded[FAKE_OBJECTS];
static uint32_t same_name[FAKE_OBJECTS];

static int set_up(void **state)
{
    (void)state;
    fake_section_make(&section);
    fake_section_open(&section, &recorded);
    memset(&set, 0, sizeof(set));
    memset(base, 0, sizeof(base));
    memset(is_excluded, 0, sizeof(is_excluded));
    memset(same_name, 0, sizeof(same_name));
    set.recorded = &recorded;
    set.base = base;
    set.is_excluded = is_excluded;
    set.same_name = same_name;
    return 0;
}

static void an_object_is_loaded_until_it_is_unloaded(void **state)
{
    uint32_t place;

    (void)state;
    assert_null(lc_loaded_set_add(&set, 2, 0x1000, 1, 0));
    assert_null(lc_loaded_set_add(&set, 0, 0x2000, 2, 0));
    assert_true(lc_loaded_set_has(&set, 2));
    assert_false(lc_loaded_set_has(&set, 1));
    assert_int_equal(base[0], 0x2001);
    assert_int_equal(lc_loaded_set_remove(&set, 2, &place), 0);
    assert_int_equal(place, 1);
    assert_false(lc_loaded_set_has(&set, 0));
    assert_int_equal(lc_loaded_set_remove(&set, 2, &place), LC_NONE);
}

static void cookies_of_others_are_ignored(void **state)
{
    uint32_t place;

    (void)state;
    assert_int_equal(lc_loaded_set_remove(&set, 0, &place), LC_NONE);
    assert_int_equal(lc_loaded_set_remove(&set, 7, &place), LC_NONE);
    assert_int_equal(lc_loaded_set_remove(&set, LC_OBJECTS_MAX + 1, &place), LC_NONE);
    assert_false(lc_loaded_set_has(&set, FAKE_OBJECTS));
}

static void a_second_copy_is_reported(void **state)
{
    (void)state;
    assert_null(lc_loaded_set_add(&set, 1, 0x1000, 1, 0));
    assert_string_equal(lc_loaded_set_add(&set, 1, 0x2000, 2, 0),
                        "two copies of one library are loaded");
    assert_int_equal(base[1], 0x1001);
}

static void two_libraries_of_one_name_are_reported_unless_one_is_gone(void **state)
{
    uint32_t place;

    (void)state;
    section.object[3].name_set = section.object[4].name_set = 4;
    assert_null(lc_loaded_set_add(&set, 3, 0x1000, 1, 0));
    lc_loaded_set_remove(&set, 1, &place);
    assert_null(lc_loaded_set_add(&set, 4, 0x2000, 2, 0));
    assert_string_equal(lc_loaded_set_add(&set, 3, 0x3000, 3, 0),
                        "two libraries of one name are loaded");
}

static void a_library_opened_by_another_name_is_not_found_by_its_own(void **state)
{
    (void)state;
    section.object[0].alias = section.object[1].alias = 55;
    assert_null(lc_loaded_set_add(&set, 0, 0x1000, 1, 54));
    assert_null(lc_loaded_set_add(&set, 1, 0x2000, 2, 55));
    assert_false(lc_loaded_set_has(&set, 0));
    assert_true(lc_loaded_set_has(&set, 1));
}

static void the_hash_is_of_what_is_loaded_in_order(void **state)
{
    uint32_t place;

    (void)state;
    for (uint32_t i = 0; i < FAKE_OBJECTS; i++)
        section.object[i].identity = 100 + i;
    lc_loaded_set_add(&set, 2, 0x1000, 1, 0);
    lc_loaded_set_add(&set, 0, 0x2000, 2, 0);
    lc_loaded_set_add(&set, 1, 0x3000, 3, 0);
    lc_loaded_set_remove(&set, 2, &place);
    assert_int_equal(lc_loaded_set_hash(&set, 5), lc_bindings_mix(lc_bindings_mix(5, 102), 101));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_object_is_loaded_until_it_is_unloaded, set_up),
        cmocka_unit_test_setup(cookies_of_others_are_ignored, set_up),
        cmocka_unit_test_setup(a_second_copy_is_reported, set_up),
        cmocka_unit_test_setup(two_libraries_of_one_name_are_reported_unless_one_is_gone, set_up),
        cmocka_unit_test_setup(a_library_opened_by_another_name_is_not_found_by_its_own, set_up),
        cmocka_unit_test_setup(the_hash_is_of_what_is_loaded_in_order, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
