/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/path.h"

static void check_absolute(const char *base, const char *path, const char *want)
{
    char out[64];

    assert_int_equal(lc_path_absolute(out, sizeof(out), base, path), 0);
    assert_string_equal(out, want);
}

static void makes_paths_absolute_and_clean(void **state)
{
    (void)state;
    check_absolute("/a/b", "c", "/a/b/c");
    check_absolute("/a/b", "/c//d/./e/", "/c/d/e");
    check_absolute("/a/b", "../../..", "/");
    check_absolute("/a/b", "", "/a/b");
    check_absolute("/", ".", "/");
    check_absolute("/a", "..x/.y", "/a/..x/.y");
}

static void keeps_dots_that_may_follow_a_link(void **state)
{
    char out[64];

    (void)state;
    lc_path_resolve(out, sizeof(out), "/a/b", "../c/../d/./e");
    assert_string_equal(out, "/a/c/../d/e");
    lc_path_resolve(out, sizeof(out), "/a/b", "/bin/../lib//x");
    assert_string_equal(out, "/bin/../lib/x");
}

static void refuses_a_path_that_does_not_fit(void **state)
{
    char out[8];

    (void)state;
    assert_int_equal(lc_path_absolute(out, sizeof(out), "/", "123456"), 0);
    assert_int_equal(lc_path_absolute(out, sizeof(out), "/", "1234567"), -1);
    assert_int_equal(errno, ENAMETOOLONG);
}

static void knows_what_lies_below_a_directory(void **state)
{
    (void)state;
    assert_true(lc_path_is_under("/a/b", "/a"));
    assert_true(lc_path_is_under("/a", "/a"));
    assert_true(lc_path_is_under("/a", "/"));
    assert_false(lc_path_is_under("/ab", "/a"));
    assert_false(lc_path_is_under("/", "/a"));
    assert_int_equal(lc_path_dir_len("/x"), 1);
    assert_int_equal(lc_path_dir_len("/x/y"), 2);
    assert_string_equal(lc_path_base("/x/y"), "y");
}

static void undoes_what_proc_escapes(void **state)
{
    char text[] = "/a\\040b\\011\\134c\\", none[] = "\\04";

    (void)state;
    lc_path_undo_octal(text);
    assert_string_equal(text, "/a b\t\\c\\");
    lc_path_undo_octal(none);
    assert_string_equal(none, "\\04");
}

static void tells_a_missing_program_from_a_forbidden_one(void **state)
{
    char out[256], file[] = "/tmp/loadcast-path-XXXXXX";
    struct lc_error err;

    (void)state;
    assert_int_equal(lc_path_find_program(out, sizeof(out), "sh", &err), 0);
    assert_int_equal(access(out, X_OK), 0);
    assert_int_equal(lc_path_find_program(out, sizeof(out), "no-such-program", &err), -1);
    assert_int_equal(errno, ENOENT);
    close(mkstemp(file));
    assert_int_equal(lc_path_find_program(out, sizeof(out), file, &err), -1);
    assert_int_equal(errno, EACCES);
    assert_non_null(strstr(err.text, "chmod"));
    unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_paths_absolute_and_clean),
        cmocka_unit_test(keeps_dots_that_may_follow_a_link),
        cmocka_unit_test(refuses_a_path_that_does_not_fit),
        cmocka_unit_test(knows_what_lies_below_a_directory),
        cmocka_unit_test(undoes_what_proc_escapes),
        cmocka_unit_test(tells_a_missing_program_from_a_forbidden_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
