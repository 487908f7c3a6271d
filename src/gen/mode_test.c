/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <string.h>

#include "gen/gen.h"
#include "gen/operations.h"

static void reads_lists_of_modes(void **state)
{
    struct lc_error err;
    unsigned modes;

    (void)state;
    assert_int_equal(lc_mode_parse("cloadtest", &modes, &err), 0);
    assert_int_equal(modes, 1u << LC_MODE_CLOADTEST);
    assert_int_equal(lc_mode_parse("pyMPI,cloadtest-mpi", &modes, &err), 0);
    assert_int_equal(modes, 1u << LC_MODE_PYMPI | 1u << LC_MODE_CLOADTEST_MPI);
    assert_int_equal(lc_mode_parse("pyMPI,", &modes, &err), -1);
    assert_int_equal(lc_mode_parse("", &modes, &err), -1);
    assert_int_equal(lc_mode_parse("pyMPI cloadtest", &modes, &err), -1);
    assert_non_null(strstr(err.text, "'pyMPI cloadtest' is none of"));
}

static void every_preset_makes_sense(void **state)
{
    struct lc_gen_options o = {.config = {.seed = 7}};
    struct lc_error err;

    (void)state;
    for (const char *const *name = lc_gen_presets; *name; name++) {
        assert_int_equal(lc_gen_preset(*name, &o), 0);
        assert_int_equal(lc_gen_check(&o.config, &err), 0);
        assert_int_equal(o.config.seed, 7);
    }
    assert_int_equal(lc_gen_preset("corall", &o), -1);
}

/* 5,671 calls per task were measured, a thousand of them by Python and MPI for themselves. */
static void sierra_asks_what_was_measured(void **state)
{
    struct lc_gen_options o = {0};

    (void)state;
    assert_int_equal(lc_gen_preset("sierra", &o), 0);
    assert_int_equal(o.config.files, 495);
    assert_int_equal(o.config.utilities, 215);
    assert_true(o.debug_counts);
    struct lc_operations ops = lc_operations(&o.config, LC_MODE_PYMPI);
    assert_in_range(ops.opens + ops.stats + 1100, 5104, 6238);
}

/* Six names that are not there and one that is opened, which is two requests: 8 per library, see
 * doc/stormfs-profiles.md. */
static void juropa_asks_eight_times_per_library(void **state)
{
    struct lc_gen_options o = {0};

    (void)state;
    assert_int_equal(lc_gen_preset("juropa", &o), 0);
    struct lc_operations ops = lc_operations(&o.config, LC_MODE_CLOADTEST);
    assert_int_equal(ops.failed_opens + 2 * (ops.opens - ops.failed_opens), 8 * 710);
}

static void operations_follow_the_structure(void **state)
{
    struct lc_gen_config c = {.files = 12, .utilities = 4, .search_dirs = 3, .python_dirs = 2};
    struct lc_operations ops = lc_operations(&c, LC_MODE_CLOADTEST);

    (void)state;
    assert_int_equal(ops.opens, 12 * 4);
    assert_int_equal(ops.failed_opens, 12 * 3);
    assert_int_equal(ops.stats, 12);
    ops = lc_operations(&c, LC_MODE_PYMPI);
    assert_int_equal(ops.opens, 12 * 4 + 2);
    assert_int_equal(ops.stats, 12 + 2 + (8 + 2) * 4);
    ops = lc_operations(&c, LC_MODE_SDB);
    assert_int_equal(ops.opens + ops.stats, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_lists_of_modes),
        cmocka_unit_test(every_preset_makes_sense),
        cmocka_unit_test(sierra_asks_what_was_measured),
        cmocka_unit_test(juropa_asks_eight_times_per_library),
        cmocka_unit_test(operations_follow_the_structure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
