/* SPDX-License-Identifier: MIT */
/* node_step_test.c - which steps are repeated, and whether the loader stands before the shell then
 */
#include "launch/node_step.h"

#include "util/test.h"

/* Is a step repeated after this report of one node? NULL: no report came. */
static bool repeats(enum lc_via via, bool is_odd, const char *node, int tries, bool *plain_shell)
{
    struct lc_job_staging staging = {0};
    struct lc_staging_report report = {.nodes = json_array(), .odd = is_odd};

    if (node)
        json_array_append_new(report.nodes, json_loads(node, 0, NULL));
    bool again = lc_node_step_may_repeat(&staging, via, &report, 0, tries);
    *plain_shell = staging.plain_shell;
    json_decref(report.nodes);
    return again;
}

static void test_missing_loader(void **state)
{
    static const char *const said[] = {NULL, "{\"ok\":true}",
                                       "{\"ok\":false,\"crashed\":true,\"fault\":false}"};
    bool plain;

    (void)state;
    for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
        assert_true(repeats(LC_VIA_MPI, true, said[i], 1, &plain));
        assert_true(plain);
    }
    assert_true(repeats(LC_VIA_FS, true, NULL, 1, &plain));
    assert_true(plain);
    assert_false(repeats(LC_VIA_FS, true, "{\"ok\":false,\"boot\":false}", 1, &plain));
    assert_false(plain);
}

/* Ranks that start by a plain shell search LD_LIBRARY_PATH for its C library. */
static void test_crash_is_no_missing_loader(void **state)
{
    static const char crash[] = "{\"ok\":false,\"crashed\":true,\"fault\":true}";
    bool plain;

    (void)state;
    assert_true(repeats(LC_VIA_MPI, true, crash, 1, &plain));
    assert_false(plain);
    assert_true(repeats(LC_VIA_MPI, false, crash, 1, &plain));
    assert_false(plain);
    assert_false(repeats(LC_VIA_MPI, true, crash, 3, &plain));
    assert_false(repeats(LC_VIA_FS, true, crash, 1, &plain));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_loader),
        cmocka_unit_test(test_crash_is_no_missing_loader),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
