/* SPDX-License-Identifier: MIT */
/* foreign_objects_test.c - names of objects that the recording did not see lead to them */
#include "client/bindings/foreign_objects.h"

#include "client/bindings/test_fixture.h"
#include "util/test.h"

static struct lc_foreign_objects all;
static struct fake_object foreign, other;

static struct lc_new_object new_object(const struct fake_object *from, const char *asked)
{
    struct lc_new_object p = {.map = &from->map, .asked_name = lc_hash(asked, strlen(asked))};

    assert_true(lc_elf_object_read(&p.elf, p.map, NULL));
    return p;
}

static void make(const char *needed)
{
    memset(&all, 0, sizeof(all));
    fake_object_make(&foreign, "foreign.so", (const char *const[]){NULL});
    fake_object_make(&other, "other.so", (const char *const[]){"first.so", needed, NULL});
}

static void free_both(void)
{
    fake_object_free(&foreign);
    fake_object_free(&other);
    if (all.name)
        munmap(all.name, LC_FOREIGN_NAMES * sizeof(*all.name));
}

/* Does an object that needs the name lead to foreign.so, once that is loaded as 'asked'? */
static bool leads(const char *needed, const char *asked)
{
    struct lc_new_object p, q;

    make(needed);
    p = new_object(&foreign, asked);
    q = new_object(&other, "other.so");
    assert_false(lc_foreign_objects_are_needed(&all, &q));
    assert_true(lc_foreign_objects_add(&all, &p));
    bool is_needed = lc_foreign_objects_are_needed(&all, &q);
    free_both();
    return is_needed;
}

static void all_its_names_lead_to_it(void **state)
{
    (void)state;
    assert_true(leads("foreign.so", "x"));      /* DT_SONAME */
    assert_true(leads("/lib/foreign.so", "x")); /* the path */
    assert_true(leads("asked.so", "asked.so"));
    assert_false(leads("another.so", "x"));
}

static void a_name_that_ld_so_expands_may_lead_anywhere(void **state)
{
    (void)state;
    assert_true(leads("$ORIGIN/another.so", "x"));
}

static void a_name_that_loaded_nothing_may_have_become_one(void **state)
{
    struct lc_new_object p, q;

    (void)state;
    make("found.so");
    p = new_object(&foreign, "x");
    q = new_object(&other, "other.so");
    assert_true(lc_foreign_objects_searched(&all, lc_hash("first.so", 8))); /* before it came */
    lc_foreign_objects_loaded(&all);
    assert_true(lc_foreign_objects_add(&all, &p));
    assert_true(lc_foreign_objects_searched(&all, lc_hash("found.so", 8)));
    assert_false(lc_foreign_objects_are_needed(&all, &q)); /* nothing came yet, but it may */
    assert_true(lc_foreign_objects_searched(&all, lc_hash("next.so", 7)));
    assert_true(lc_foreign_objects_are_needed(&all, &q));
    free_both();
}

static void the_table_may_become_full(void **state)
{
    struct lc_new_object p;
    uint64_t i;

    (void)state;
    make("x");
    p = new_object(&foreign, "x");
    assert_true(lc_foreign_objects_add(&all, &p));
    for (i = 1; i < LC_FOREIGN_NAMES && lc_foreign_objects_searched(&all, i * 77); i++)
        ;
    assert_int_equal(all.names, LC_FOREIGN_NAMES / 2);
    assert_true(i < LC_FOREIGN_NAMES);
    assert_true(lc_foreign_objects_add(&all, &p)); /* known names need no room */
    free_both();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_its_names_lead_to_it),
        cmocka_unit_test(a_name_that_ld_so_expands_may_lead_anywhere),
        cmocka_unit_test(a_name_that_loaded_nothing_may_have_become_one),
        cmocka_unit_test(the_table_may_become_full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
