/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stormfs/mountinfo.h"

static char dir[PATH_MAX];

static int enter_a_directory(void **state)
{
    static char name[] = "/tmp/loadcast-unit.XXXXXX";

    (void)state;
    if (!mkdtemp(name) || !realpath(name, dir) || chdir(dir) < 0)
        return -1;
    return mkdir("real", 0700) || mkdir("real/m", 0700) || symlink("real", "via") ||
           symlink("real/m", "link") || symlink("loop", "loop");
}

static int leave_it(void **state)
{
    (void)state;
    unlink("via");
    unlink("link");
    unlink("loop");
    return rmdir("real/m") || rmdir("real") || chdir("/") || rmdir(dir);
}

static void path_expect(const char *path, const char *below)
{
    char got[PATH_MAX], want[2 * PATH_MAX];

    assert_int_equal(lc_mountinfo_path(got, sizeof(got), path), 0);
    snprintf(want, sizeof(want), "%s%s", dir, below);
    assert_string_equal(got, want);
}

static void every_spelling_gives_one_path(void **state)
{
    (void)state;
    path_expect("real/m", "/real/m");
    path_expect("./real//m///", "/real/m");
    path_expect("via/m", "/real/m");
    path_expect("link", "/real/m");
    path_expect("real/m/.", "/real/m");
    path_expect("real/../real/m", "/real/m");
    path_expect(".", "");
    path_expect("absent", "/absent"); /* the last part need not be there */
}

static void what_leads_nowhere_is_an_error(void **state)
{
    char got[PATH_MAX];

    (void)state;
    assert_int_equal(lc_mountinfo_path(got, sizeof(got), ""), -1);
    assert_int_equal(lc_mountinfo_path(got, sizeof(got), "absent/m"), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(lc_mountinfo_path(got, sizeof(got), "loop"), -1);
    assert_int_equal(errno, ELOOP);
}

static void mounts_are_found_by_exact_path(void **state)
{
    struct lc_mountinfo info;

    (void)state;
    assert_true(lc_mountinfo_find("/proc", &info));
    assert_string_equal(info.type, "proc");
    assert_int_equal(info.user_id, -1);
    assert_false(lc_mountinfo_find(dir, &info));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_spelling_gives_one_path),
        cmocka_unit_test(what_leads_nowhere_is_an_error),
        cmocka_unit_test(mounts_are_found_by_exact_path),
    };

    return cmocka_run_group_tests(tests, enter_a_directory, leave_it);
}
