/* SPDX-License-Identifier: MIT */
/* hide_needed_test.c - which DT_NEEDED entries are hidden, and that they come back */
#include "util/test.h"

#include "client/bindings/hide_needed.h"
#include "client/bindings/test_fixture.h"
#include "node/glibc_versions.h"

static struct fake_group g;
static struct lc_hide_needed hide;
static struct lc_dlopen_notes notes;

/* root.so needs all; a, b and c need what comes behind them. */
static int set_up(void **state)
{
    static const char *const name[] = {"root.so", "a.so", "b.so", "c.so"};
    static const char *const needed[][4] = {
        {"a.so", "b.so", "c.so"}, {"b.so", "c.so"}, {"c.so"}, {NULL}};

    (void)state;
    fake_group_make(&g, name, needed, FAKE_MEMBERS);
    memset(&hide, 0, sizeof(hide));
    memset(&notes, 0, sizeof(notes));
    hide.least = 2;
    hide.is_version_known = hide.is_new_sort = true;
    if (lc_hide_needed_least(&hide) != 2)
        skip(); /* this glibc sorts in another way */
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_group_free(&g);
    return 0;
}

/* ld.so reads what the object with this cookie needs. */
static uint32_t hide_from(uintptr_t cookie)
{
    return lc_hide_needed_group(&hide, &g.w, &notes, cookie);
}

static void entries_of_objects_not_read_yet_are_hidden(void **state)
{
    (void)state;
    assert_int_equal(hide_from(1), 3);
    assert_int_equal(fake_tags(&g.object[0], DT_NEEDED), 3); /* being read */
    assert_int_equal(fake_tags(&g.object[1], DT_NEEDED), 0);
    assert_int_equal(fake_tags(&g.object[1], LC_HIDDEN_TAG), 2);
    assert_int_equal(fake_tags(&g.object[2], LC_HIDDEN_TAG), 1);
    assert_true(g.w.object[1].has_hidden_needed);
    assert_false(g.w.object[3].has_hidden_needed);
}

static void objects_that_were_read_keep_theirs(void **state)
{
    (void)state;
    assert_int_equal(hide_from(2), 1);
    assert_int_equal(fake_tags(&g.object[1], DT_NEEDED), 2);
    assert_int_equal(fake_tags(&g.object[2], LC_HIDDEN_TAG), 1);
}

static void hidden_entries_are_restored(void **state)
{
    (void)state;
    hide_from(1);
    lc_hide_needed_restore(&g.w.object[1]);
    assert_int_equal(fake_tags(&g.object[1], DT_NEEDED), 2);
    assert_int_equal(fake_tags(&g.object[1], LC_HIDDEN_TAG), 0);
    assert_false(g.w.object[1].has_hidden_needed);
}

static void the_preload_is_told_of_partial_objects(void **state)
{
    (void)state;
    hide_from(1);
    assert_int_equal(notes.partials, 2);
    assert_ptr_equal(notes.partial[0].map, &g.object[1].map);
    assert_ptr_equal(notes.partial[1].map, &g.object[2].map);
    assert_ptr_equal(notes.partial[0].root, &g.object[0].map);
    assert_int_equal(notes.partial[0].path, lc_hash("/lib/a.so", 9));
    assert_non_null(notes.partial[0].opening);
    assert_int_equal(notes.partial[0].opening->call.return_slot, 0x1000);
    lc_hide_needed_closed(&hide, &g.object[1].map, &notes);
    assert_null(notes.partial[0].map);
    assert_ptr_equal(notes.partial[1].map, &g.object[2].map);
}

static void dlopens_are_not_deferred_where_a_dependency_may_be_added(void **state)
{
    (void)state;
    g.section.object[0].flags |=
        LC_BIND_CALLS_DLSYM; /* the first object: reaches all, so does nobody else */
    assert_int_equal(hide_from(1), 3);
    assert_null(notes.partial[0].opening);
}

static void objects_whose_order_matters_keep_theirs(void **state)
{
    (void)state;
    g.section.object[1].flags |= LC_BIND_KEEPS_NEEDED;
    assert_int_equal(hide_from(1), 1);
    assert_int_equal(fake_tags(&g.object[1], DT_NEEDED), 2);
}

static void nothing_is_hidden_where_ld_so_cannot_be_followed(void **state)
{
    (void)state;
    assert_int_equal(hide_from(9), 0);
    assert_int_equal(lc_hide_needed_group(&hide, &g.w, NULL, 1), 0);
    hide.least = FAKE_MEMBERS + 1;
    assert_int_equal(hide_from(1), 0);
    hide.least = 2;
    hide.is_new_sort = false;
    assert_int_equal(hide_from(1), 0);
    assert_int_equal(notes.partials, 0);
}

/* Loads one more object, after the group. */
static void load_another(const char *needed)
{
    const char *const names[] = {needed, NULL};
    struct fake_object other;

    fake_object_make(&other, "other.so", names);
    lc_hide_needed_opened(&hide, &other.map, &notes);
    fake_object_free(&other);
}

static void lists_are_completed_at_exit_if_a_later_object_depends_on_one(void **state)
{
    (void)state;
    load_another("b.so");
    assert_false(notes.completes_at_exit); /* nothing is hidden yet */
    hide_from(1);
    load_another("x.so");
    assert_false(notes.completes_at_exit);
    load_another("b.so");
    assert_true(notes.completes_at_exit);
}

static void a_later_object_may_depend_on_one_that_keeps_its_entries(void **state)
{
    (void)state;
    g.section.object[2].flags |= LC_BIND_KEEPS_NEEDED;
    hide_from(1);
    load_another("b.so");
    assert_false(notes.completes_at_exit);
}

static void learn_glibc(void)
{
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
        lc_glibc_learn(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(entries_of_objects_not_read_yet_are_hidden),
        TEST(objects_that_were_read_keep_theirs),
        TEST(hidden_entries_are_restored),
        TEST(the_preload_is_told_of_partial_objects),
        TEST(dlopens_are_not_deferred_where_a_dependency_may_be_added),
        TEST(objects_whose_order_matters_keep_theirs),
        TEST(nothing_is_hidden_where_ld_so_cannot_be_followed),
        TEST(lists_are_completed_at_exit_if_a_later_object_depends_on_one),
        TEST(a_later_object_may_depend_on_one_that_keeps_its_entries),
    };

    learn_glibc();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

void lc_thunk_hook(uint32_t thunk)
{
    (void)thunk;
}
