/* SPDX-License-Identifier: MIT */
/* dependency_root_test.c - which modules use a dependency root, and what ld.so sees of them */
#include "util/test.h"

#include <dlfcn.h>

#include "client/bindings/dependency_root.h"
#include "client/bindings/hide_needed.h"
#include "client/bindings/test_fixture.h"

static const uint32_t LEAST = 2; /* objects in the search list */
static struct fake_section section;
static struct lc_bindings recorded;
static struct fake_object library[2], module[2], root;
static struct lc_new_object new_object;
static uint8_t is_fully_bound[FAKE_OBJECTS];
static struct lc_group_writer w;
static struct lc_dependency_roots roots;
static struct lc_dlopen_notes notes;

/* Two modules that need the same two libraries, which are loaded. */
static int set_up(void **state)
{
    static const char *const none[] = {NULL}, *const both[] = {"a.so", "b.so", NULL};
    static const uint32_t first[] = {2, 0, 1}, second[] = {3, 0, 1};

    (void)state;
    fake_object_make(&library[0], "a.so", none);
    fake_object_make(&library[1], "b.so", none);
    fake_object_make(&module[0], "m.so", both);
    fake_object_make(&module[1], "n.so", both);
    fake_object_make(&root, LC_ROOT_SONAME_PREFIX "0", both);
    strcpy(root.path, LC_ROOT_PATH_PREFIX "7");
    fake_section_make(&section);
    for (uint32_t i = 0; i < 2; i++) {
        fake_section_object(&section, i, &library[i], LC_BIND_SELF);
        fake_section_object(&section, 2 + i, &module[i], 0);
    }
    fake_section_group(&section, 0, 0, 0, first, 3);
    fake_section_group(&section, 1, 0, 0, second, 3);
    fake_section_open(&section, &recorded);
    memset(&roots, 0, sizeof(roots));
    memset(&notes, 0, sizeof(notes));
    is_fully_bound[0] = is_fully_bound[1] = 1;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        fake_object_free(&library[i]);
        fake_object_free(&module[i]);
    }
    fake_object_free(&root);
    return 0;
}

/* A dlopen of module i, ready to be used. */
static void load(uint32_t i)
{
    w = (struct lc_group_writer){.recorded = &recorded,
                                 .is_fully_bound = is_fully_bound,
                                 .object = &new_object,
                                 .group = &recorded.group[i],
                                 .call = {.is_known = true, .flags = RTLD_NOW}};
    w.call.opening = (struct lc_opening_call){1, 0x1000 + i, 0x2000};
    fake_new_object(&w, 2 + i, &module[i]);
}

static uint32_t use(void)
{
    return lc_dependency_root_use(&roots, &w, &notes, LEAST);
}

/* The preload has opened the root that was asked for. */
static void open_root(void)
{
    strcpy(notes.root[0].soname, LC_ROOT_SONAME_PREFIX "0");
    notes.root[0].model = NULL;
    assert_true(lc_dependency_root_opened(&roots, &root.map));
}

static void the_first_module_is_the_model(void **state)
{
    (void)state;
    load(0);
    assert_int_equal(use(), 0);
    assert_int_equal(notes.roots, 1);
    assert_ptr_equal(notes.root[0].model, &module[0].map);
    assert_string_equal(notes.root[0].model_path, "/lib/m.so");
    assert_int_equal(notes.root[0].model_call.return_slot, 0x1000);
    assert_int_equal(fake_tags(&module[0], DT_NEEDED), 2);
}

static void the_next_module_needs_only_the_root(void **state)
{
    (void)state;
    load(0);
    use();
    open_root();
    load(1);
    uint64_t own = fake_tag(&module[1], DT_NEEDED);
    assert_int_equal(use(), 1);
    assert_int_equal(fake_tags(&module[1], DT_NEEDED), 1);
    /* The name is not among the module's strings: ld.so adds an offset that leads out of them. */
    uintptr_t name = (uintptr_t)module[1].page->strings + fake_tag(&module[1], DT_NEEDED);
    assert_string_equal((const char *)name, LC_ROOT_SONAME_PREFIX "0");
    assert_int_equal(fake_tags(&root, DT_NEEDED), 0); /* ld.so has read them */
    assert_ptr_equal(lc_root_user_find(notes.user, &module[1].map)->root, &notes.root[0]);
    lc_hide_needed_restore(&w.object[0]);
    assert_int_equal(fake_tags(&module[1], DT_NEEDED), 2);
    assert_int_equal(fake_tag(&module[1], DT_NEEDED), own);
}

static void a_module_with_other_libraries_gets_another_root(void **state)
{
    (void)state;
    load(0);
    use();
    open_root();
    section.member[FAKE_OBJECTS + 2].object = 4;
    is_fully_bound[4] = 1;
    load(1);
    assert_int_equal(use(), 0);
    assert_int_equal(notes.roots, 2);
    assert_ptr_equal(notes.root[1].model, &module[1].map);
}

static void modules_for_which_ld_so_looks_up_symbols_use_none(void **state)
{
    (void)state;
    load(0);
    section.plan[2].leftovers = 1;
    use();
    assert_int_equal(notes.roots, 0);
    load(0);
    section.plan[2].leftovers = 0;
    w.is_verifying = true;
    use();
    assert_int_equal(notes.roots, 0);
}

static void global_or_short_or_unnoted_modules_use_none(void **state)
{
    (void)state;
    load(0);
    w.call.flags |= RTLD_GLOBAL;
    use();
    load(0);
    assert_int_equal(lc_dependency_root_use(&roots, &w, &notes, 3), 0);
    assert_int_equal(lc_dependency_root_use(&roots, &w, NULL, LEAST), 0);
    w.call.opening.return_slot = 0;
    use();
    assert_int_equal(notes.roots, 0);
}

static void no_root_is_made_while_a_library_may_look_up_symbols(void **state)
{
    (void)state;
    is_fully_bound[1] = 0;
    load(0);
    use();
    assert_null(roots.root[0].model);
}

static void other_objects_are_no_roots(void **state)
{
    (void)state;
    assert_false(lc_dependency_root_opened(&roots, &root.map)); /* none was asked for */
    load(0);
    use();
    assert_false(lc_dependency_root_opened(&roots, &library[0].map));
}

static void what_is_unloaded_is_forgotten(void **state)
{
    (void)state;
    load(0);
    use();
    lc_dependency_root_closed(&roots, &module[0].map);
    assert_null(notes.root[0].model);
    open_root();
    load(1);
    use();
    lc_dependency_root_closed(&roots, &module[1].map);
    assert_null(lc_root_user_find(notes.user, &module[1].map));
    lc_dependency_root_closed(&roots, &root.map);
    assert_null(notes.root[0].map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(the_first_module_is_the_model),
        TEST(the_next_module_needs_only_the_root),
        TEST(a_module_with_other_libraries_gets_another_root),
        TEST(modules_for_which_ld_so_looks_up_symbols_use_none),
        TEST(global_or_short_or_unnoted_modules_use_none),
        TEST(no_root_is_made_while_a_library_may_look_up_symbols),
        TEST(other_objects_are_no_roots),
        TEST(what_is_unloaded_is_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

void lc_thunk_hook(uint32_t thunk)
{
    (void)thunk;
}
