/* SPDX-License-Identifier: MIT */
/* node_step_test.c - which steps are repeated, and whether the loader stands before the shell then;
 * which package they bring */
#include "launch/node_step.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

/* The package without zstd is for messages of launchers; an installation that lacks it has one. */
static void test_package_of_a_step(void **state)
{
    char dir[] = "/tmp/node_step_test.XXXXXX", small[PATH_MAX], full[PATH_MAX], path[PATH_MAX];

    (void)state;
    assert_non_null(mkdtemp(dir));
    struct lc_job_staging staging = {.origin = dir};
    snprintf(small, sizeof(small), "%s/node-kit-small.tgz", dir);
    snprintf(full, sizeof(full), "%s/node-kit.tgz", dir);
    close(open(full, O_WRONLY | O_CREAT, 0600));
    lc_node_package_path(&staging, true, path);
    assert_string_equal(path, full);
    close(open(small, O_WRONLY | O_CREAT, 0600));
    lc_node_package_path(&staging, true, path);
    assert_string_equal(path, small);
    lc_node_package_path(&staging, false, path);
    assert_string_equal(path, full);
    unlink(small);
    unlink(full);
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_package_of_a_step),
        cmocka_unit_test(test_missing_loader),
        cmocka_unit_test(test_crash_is_no_missing_loader),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
