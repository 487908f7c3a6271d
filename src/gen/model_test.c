/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <string.h>

#include "gen/interp.h"
#include "gen/model.h"
#include "gen/name.h"

static const struct lc_gen_config small = {.files = 7,
                                           .module_avg = 30,
                                           .utilities = 3,
                                           .utility_avg = 20,
                                           .depth = 10,
                                           .name_pad = 12,
                                           .externs = true,
                                           .seed = 5};

static void model_open(struct lc_model *m, struct lc_gen_config config)
{
    struct lc_error err;

    assert_int_equal(lc_gen_check(&config, &err), 0);
    assert_int_equal(lc_model_open(m, &config), 0);
}

static void counts_lie_between_half_and_one_and_a_half(void **state)
{
    struct lc_gen_config config = small;
    struct lc_model m;
    uint64_t sum = 0;

    (void)state;
    config.files = 2003;
    model_open(&m, config);
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t n = lc_model_functions(&m, (struct lc_lib){LC_LIB_MODULE, i});
        assert_in_range(n, 15, 45);
        sum += n;
    }
    assert_in_range(sum, 2000 * 29, 2000 * 31);
    lc_model_close(&m);
}

static void a_seed_gives_one_workload_and_another_seed_another(void **state)
{
    struct lc_gen_config config = small;
    struct lc_model a, b, c;

    (void)state;
    model_open(&a, config);
    model_open(&b, config);
    config.seed = 6;
    model_open(&c, config);
    assert_int_equal(lc_interp_entry(&a, 2), lc_interp_entry(&b, 2));
    assert_int_not_equal(lc_interp_entry(&a, 2), lc_interp_entry(&c, 2));
    lc_model_close(&a);
    lc_model_close(&b);
    lc_model_close(&c);
}

/* Pinned: a change here changes everybody's generated files. */
static void the_first_function_is_what_it_always_was(void **state)
{
    struct lc_model m;
    struct lc_function f;

    (void)state;
    model_open(&m, small);
    lc_model_function(&m, (struct lc_lib){LC_LIB_MODULE, 0}, 0, &f);
    assert_int_equal(f.start, 763271265);
    assert_int_equal(lc_interp_entry(&m, 0), 1845817866);
    lc_model_close(&m);
}

static void chains_end_at_the_depth_and_at_the_last_function(void **state)
{
    struct lc_lib lib = {LC_LIB_MODULE, 1};
    struct lc_model m;
    struct lc_function f;

    (void)state;
    model_open(&m, small);
    uint32_t n = lc_model_functions(&m, lib);
    for (uint32_t i = 0; i < n; i++) {
        lc_model_function(&m, lib, i, &f);
        assert_int_equal(f.next.target != LC_CALL_NONE, i % 10 != 9 && i + 1 < n);
        if (f.next.target)
            assert_int_equal(f.next.function, i + 1);
        assert_int_equal(f.loop.lib.kind, LC_LIB_UTILITY);
    }
    lc_model_close(&m);
}

/* Every utility must be visited, also when modules are few and small. */
static void every_utility_is_called_by_somebody(void **state)
{
    struct lc_gen_config config = small;
    struct lc_model m;
    struct lc_function f;
    struct lc_model_call call;
    bool called[40] = {false};

    (void)state;
    config.files = 42;
    config.utilities = 40;
    config.module_avg = 3;
    model_open(&m, config);
    for (uint32_t i = 0; i < m.modules; i++) {
        struct lc_lib lib = {LC_LIB_MODULE, i};
        for (uint32_t j = 0; j < lc_model_functions(&m, lib); j++) {
            lc_model_function(&m, lib, j, &f);
            called[f.loop.lib.index] = true;
        }
        for (size_t j = 0; j < lc_model_entry_calls(&m, i); j++) {
            lc_model_entry_call(&m, i, j, &call);
            if (call.lib.kind == LC_LIB_UTILITY)
                called[call.lib.index] = true;
        }
    }
    for (int i = 0; i < 40; i++)
        assert_true(called[i]);
    lc_model_close(&m);
}

static void results_depend_on_arguments(void **state)
{
    struct lc_model m;
    struct lc_model_call call;
    int seen = 0;

    (void)state;
    model_open(&m, small);
    for (size_t i = 0; i < lc_model_entry_calls(&m, 3); i++) {
        lc_model_entry_call(&m, 3, i, &call);
        if (call.target != LC_CALL_EXTERN || call.signature.arg[0] != LC_INT)
            continue;
        uint32_t before = lc_interp_call(&m, &call);
        call.arg[0]++;
        assert_int_not_equal(before, lc_interp_call(&m, &call));
        seen++;
    }
    assert_int_equal(seen, 1);
    lc_model_close(&m);
}

static void names_are_the_originals(void **state)
{
    struct lc_model m;
    struct lc_lib lib = {LC_LIB_UTILITY, 2};

    (void)state;
    model_open(&m, small);
    assert_string_equal(lc_name_function(&m, lib, 7).s, "libutility2_fun7012345678901");
    assert_int_equal(lc_name_length(&m, lib, 7), strlen("libutility2_fun7012345678901"));
    assert_string_equal(lc_name_lib(lib).s, "libutility2");
    lc_model_close(&m);
}

static void refuses_nonsense(void **state)
{
    struct lc_error err;
    struct lc_gen_config c;

    (void)state;
#define REFUSED(field, value, why)                \
    c = small;                                    \
    c.field = value;                              \
    assert_int_equal(lc_gen_check(&c, &err), -1); \
    assert_non_null(strstr(err.text, why))
    REFUSED(files, 0, "number of files");
    REFUSED(files, 3, "leave no module");
    REFUSED(files, 1000000, "number of files");
    REFUSED(module_avg, 0, "functions per module");
    REFUSED(utility_avg, 0, "functions per utility");
    REFUSED(depth, 0, "call depth");
    REFUSED(name_pad, 5000, "length of names");
    REFUSED(search_dirs, -1, "search directories");
    c = small;
    c.files = 20000;
    c.module_avg = 100000;
    assert_int_equal(lc_gen_check(&c, &err), -1);
    assert_non_null(strstr(err.text, "functions in all"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_lie_between_half_and_one_and_a_half),
        cmocka_unit_test(a_seed_gives_one_workload_and_another_seed_another),
        cmocka_unit_test(the_first_function_is_what_it_always_was),
        cmocka_unit_test(chains_end_at_the_depth_and_at_the_last_function),
        cmocka_unit_test(every_utility_is_called_by_somebody),
        cmocka_unit_test(results_depend_on_arguments),
        cmocka_unit_test(names_are_the_originals),
        cmocka_unit_test(refuses_nonsense),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
