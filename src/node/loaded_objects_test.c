/* SPDX-License-Identifier: MIT */
/* loaded_objects_test.c - whose DT_RPATH is searched; what is read of a process from /proc */
#include "util/test.h"

#include <stdlib.h>
#include <string.h>

#include "node/arch.h"
#include "node/loaded_objects.h"
#include "node/search_key.h"

static struct lc_objects all;

static uintptr_t load(const char *path, ElfW(Sxword) tag, uintptr_t loader)
{
    ElfW(Dyn) *dynamic = calloc(2, sizeof(*dynamic)); /* never freed, as for a loaded object */
    struct link_map map = {.l_ld = dynamic};

    dynamic[0].d_tag = tag;
    uintptr_t cookie = lc_objects_add(&all, &map, path, loader);
    free(dynamic);
    return cookie;
}

static uint64_t chain(uintptr_t cookie)
{
    return lc_objects_chain(&all, lc_objects_get(&all, cookie));
}

static void rpath_is_inherited_and_runpath_ends_it(void **state)
{
    (void)state;
    memset(&all, 0, sizeof(all));
    uintptr_t program = load("/bin/p", DT_NULL, 0);
    all.program = lc_objects_get(&all, program);
    uintptr_t a = load("/a/liba.so", DT_RPATH, program);
    uintptr_t plain = load("/l/libp.so", DT_NULL, a);
    uintptr_t runpath = load("/l/libr.so", DT_RUNPATH, a);
    uintptr_t other = load("/l/libo.so", DT_NULL, program);
    assert_int_equal(chain(program), 0);
    assert_int_not_equal(chain(a), 0);
    assert_int_equal(chain(plain), chain(a)); /* the same owners, the same search */
    assert_int_equal(chain(runpath), 0);
    assert_int_equal(chain(other), 0);
}

static void the_program_s_rpath_counts_for_all(void **state)
{
    (void)state;
    memset(&all, 0, sizeof(all));
    uintptr_t program = load("/bin/p", DT_RPATH, 0);
    all.program = lc_objects_get(&all, program);
    uintptr_t child = load("/l/c.so", DT_NULL, program), stray = load("/l/s.so", DT_NULL, 0);
    assert_int_not_equal(chain(program), 0);
    assert_int_equal(chain(child), chain(program));
    assert_int_equal(chain(stray), chain(program));
}

static void a_closed_object_is_forgotten(void **state)
{
    (void)state;
    memset(&all, 0, sizeof(all));
    uintptr_t x = load("/x", DT_NULL, 0);
    lc_objects_remove(&all, x);
    assert_null(lc_objects_get(&all, x));
    assert_null(lc_objects_get(&all, 0));
    assert_null(lc_objects_get(&all, 99));
}

static void a_question_of_no_object_has_no_asker(void **state)
{
    const uintptr_t cookie = 7;

    (void)state;
    assert_int_equal(lc_objects_asker(&cookie), 7);
    assert_int_equal(lc_objects_asker(NULL), 0);
    assert_int_equal(lc_objects_asker((const uintptr_t *)0x470), 0); /* a member of NULL */
}

static void the_environment_is_read_from_proc(void **state)
{
    char value[65536];

    (void)state;
    if (!getenv("PATH"))
        skip();
    assert_true(lc_key_environment("PATH", value, sizeof(value)));
    assert_string_equal(value, getenv("PATH"));
    assert_false(lc_key_environment("PAT", value, sizeof(value)));
    assert_false(lc_key_environment("LOADCAST_NO_SUCH_VARIABLE", value, sizeof(value)));
    assert_false(lc_key_environment("PATH", value, 2)); /* does not fit: not returned at all */
    assert_string_equal(value, "");
}

static void variables_are_read_in_one_pass(void **state)
{
    static struct lc_key key;
    char path[65536], cut[2], none[8];
    struct lc_variable v[] = {{"LOADCAST_NO_SUCH_VARIABLE", none, sizeof(none), 7},
                              {"PATH", path, sizeof(path), 7},
                              {"HOME", cut, sizeof(cut), 7}};

    (void)state;
    if (!getenv("PATH") || !getenv("HOME") || !getenv("HOME")[0] || !getenv("HOME")[1])
        skip();
    assert_true(lc_key_read(&key, v, 3)); /* a variable that is cut does not invalidate the key */
    assert_int_equal(v[0].found, 0);
    assert_string_equal(none, "");
    assert_int_equal(v[1].found, 1);
    assert_string_equal(path, getenv("PATH"));
    assert_int_equal(v[2].found, -1);
    assert_int_equal(cut[0], getenv("HOME")[0]);
    assert_int_equal(cut[1], 0);
    assert_false(lc_key_read(&key, v, 1000)); /* more variables than allowed */
}

static void a_key_names_program_and_processor(void **state)
{
    static struct lc_key key;

    (void)state;
    assert_true(lc_key_read(&key, NULL, 0));
    assert_non_null(strstr(key.executable, "loaded_objects"));
    assert_true(lc_key_cpu_level() <= 4);
    assert_true(LC_ARCH_MACHINE == EM_X86_64 ? lc_key_cpu_level() >= 1 : lc_key_cpu_level() == 0);
    assert_string_equal(key.platform, LC_ARCH_MACHINE == EM_X86_64 ? "x86_64" : "aarch64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rpath_is_inherited_and_runpath_ends_it),
        cmocka_unit_test(the_program_s_rpath_counts_for_all),
        cmocka_unit_test(a_closed_object_is_forgotten),
        cmocka_unit_test(a_question_of_no_object_has_no_asker),
        cmocka_unit_test(the_environment_is_read_from_proc),
        cmocka_unit_test(variables_are_read_in_one_pass),
        cmocka_unit_test(a_key_names_program_and_processor),
    };
    return cmocka_run_group_tests_name("node/loaded_objects", tests, NULL, NULL);
}
