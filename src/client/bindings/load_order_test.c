/* SPDX-License-Identifier: MIT */
/* load_order_test.c - whose finalisation order does not depend on being opened by itself? */
#include "util/test.h"

#include "client/bindings/load_order.h"
#include "client/bindings/test_fixture.h"

enum { NEW_OBJECTS = 3 };

static struct fake_group g;

/* Object i is "i.so". */
static uint32_t place(const void *names, const char *needed)
{
    (void)names;
    uint32_t i = (uint32_t)(needed[0] - '0');
    return i < g.w.objects ? i : LC_NONE;
}

static const struct lc_place_lookup lookup = {place, NULL};

/* A group of three objects with these needs, in the order they are loaded; the group has a fourth
 * member, which was loaded before and needs nothing. */
static void make_group(const char *const needed[][4])
{
    static const char *const name[] = {"0.so", "1.so", "2.so", "3.so"};
    const char *all[FAKE_MEMBERS][4] = {{NULL}};

    memcpy(all, needed, NEW_OBJECTS * sizeof(all[0]));
    fake_group_make(&g, name, (const char *const(*)[4])all, NEW_OBJECTS);
    g.is_fully_bound[3] = 1;
}

static int tear_down(void **state)
{
    (void)state;
    fake_group_free(&g);
    return 0;
}

/* Which objects have a fixed order, as "101". */
static const char *marked(void)
{
    static char text[4];

    lc_load_order_mark(&g.w, &lookup);
    for (uint32_t i = 0; i < NEW_OBJECTS; i++)
        text[i] = g.w.object[i].has_fixed_order ? '1' : '0';
    return text;
}

static const char *const chain[][4] = {{"1.so", "2.so"}, {"2.so"}, {NULL}};

static void objects_that_need_later_ones_only_are_fixed(void **state)
{
    (void)state;
    make_group(chain);
    assert_string_equal(marked(), "111");
}

static void a_need_of_an_object_before_it_unfixes_all_from_there_on(void **state)
{
    static const char *const back[][4] = {{"1.so"}, {"2.so"}, {"1.so"}};

    (void)state;
    make_group(back);
    assert_string_equal(marked(), "100");
}

/* The search comes to an earlier object from the last object that needs it. */
static void only_the_last_user_of_an_earlier_object_is_unfixed(void **state)
{
    static const char *const outside[][4] = {{"1.so", "x.so"}, {"x.so"}, {"y.so", "x.so"}};

    (void)state;
    make_group(outside);
    assert_string_equal(marked(), "110");
}

static void a_symbol_left_to_ld_so_may_reach_anything(void **state)
{
    static const uint32_t symbol_row = 1, relative_row = 0;

    (void)state;
    make_group(chain);
    g.section.plan[1].leftovers = 1;
    g.w.object[1].parts.leftover = &symbol_row;
    assert_string_equal(marked(), "001");
    assert_false(lc_load_order_is_final(&g.w));
    g.w.object[1].parts.leftover = &relative_row; /* needs no symbol */
    assert_string_equal(marked(), "111");
}

static void who_calls_dlsym_may_reach_anything(void **state)
{
    (void)state;
    make_group(chain);
    g.section.object[2].flags |= LC_BIND_CALLS_DLSYM;
    assert_string_equal(marked(), "000");
    assert_false(lc_load_order_is_final(&g.w));
}

static void an_object_without_a_plan_may_reach_anything(void **state)
{
    (void)state;
    make_group(chain);
    g.w.object[0].plan = NULL;
    assert_string_equal(marked(), "011");
    assert_false(lc_load_order_is_final(&g.w));
}

static void an_earlier_member_that_still_looks_up_unfixes_all(void **state)
{
    (void)state;
    make_group(chain);
    g.is_fully_bound[3] = 0;
    assert_string_equal(marked(), "000");
    assert_false(lc_load_order_is_final(&g.w));
}

static void ld_so_adds_no_dependencies_to_what_comes_with_the_program(void **state)
{
    (void)state;
    make_group(chain);
    g.w.call.is_known = false;
    g.is_fully_bound[3] = 0;
    g.section.object[2].flags |= LC_BIND_CALLS_DLSYM;
    assert_string_equal(marked(), "111");
    assert_false(lc_load_order_is_final(&g.w));
}

static void names_that_cannot_be_read_may_be_any(void **state)
{
    (void)state;
    make_group(chain);
    g.w.object[1].elf.strings = NULL;
    assert_string_equal(marked(), "001");
}

static void a_group_is_final_if_nothing_in_it_looks_up_later(void **state)
{
    (void)state;
    make_group(chain);
    assert_true(lc_load_order_is_final(&g.w));
    g.w.call.opening.return_slot = 0; /* one could not tell when the dlopen returns */
    assert_false(lc_load_order_is_final(&g.w));
}

static void a_filter_is_not_final(void **state)
{
    (void)state;
    make_group(chain);
    for (ElfW(Dyn) *d = g.object[2].page->dynamic;; d++)
        if (d->d_tag == DT_SONAME) {
            d->d_tag = DT_FILTER;
            break;
        }
    assert_false(lc_load_order_is_final(&g.w));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(objects_that_need_later_ones_only_are_fixed, tear_down),
        cmocka_unit_test_teardown(a_need_of_an_object_before_it_unfixes_all_from_there_on,
                                  tear_down),
        cmocka_unit_test_teardown(only_the_last_user_of_an_earlier_object_is_unfixed, tear_down),
        cmocka_unit_test_teardown(a_symbol_left_to_ld_so_may_reach_anything, tear_down),
        cmocka_unit_test_teardown(who_calls_dlsym_may_reach_anything, tear_down),
        cmocka_unit_test_teardown(an_object_without_a_plan_may_reach_anything, tear_down),
        cmocka_unit_test_teardown(an_earlier_member_that_still_looks_up_unfixes_all, tear_down),
        cmocka_unit_test_teardown(ld_so_adds_no_dependencies_to_what_comes_with_the_program,
                                  tear_down),
        cmocka_unit_test_teardown(names_that_cannot_be_read_may_be_any, tear_down),
        cmocka_unit_test_teardown(a_group_is_final_if_nothing_in_it_looks_up_later, tear_down),
        cmocka_unit_test_teardown(a_filter_is_not_final, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

void lc_thunk_hook(uint32_t thunk)
{
    (void)thunk;
}
