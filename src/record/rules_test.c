/* SPDX-License-Identifier: MIT */
/* rules_test.c - what is managed, and what never is */
#include "util/test.h"

#include <stdlib.h>
#include <string.h>

#include "record/pyc.h"
#include "record/rules.h"
#include "record/seen.h"

static struct lc_mountpoint root = {(char *)"/", (char *)"ext4", (char *)"/dev/sda", false};
static struct lc_mountpoint shared = {(char *)"/sh", (char *)"lustre", (char *)"mds:/sh", false};
static struct lc_mountpoint *items[] = {&root, &shared};
static struct lc_mounts mounts = {items, 2, -1};
static struct lc_map none;

static struct lc_rules rules_with(const struct lc_strings *exclude)
{
    struct lc_rules r = {.mounts = &mounts, .exclude = exclude};

    lc_rules_add_work(&r, "/sh/user/me/run");
    return r;
}

static void software_on_shared_file_systems(void **state)
{
    struct lc_rules r = rules_with(NULL);

    (void)state;
    lc_rules_learn(&r, "/sh/perl/bin/perl", LC_USE_EXEC, &none);
    lc_rules_learn(&r, "/sh/x/lib64/liby.so.1", LC_USE_ABSENT, &none);
    lc_rules_learn(&r, "/usr/bin/python3", LC_USE_EXEC, &none);
    assert_true(lc_rules_is_managed(&r, "/sh/perl/bin/perl", LC_USE_EXEC));
    assert_true(lc_rules_is_managed(&r, "/sh/perl/share/strict.pm", LC_USE_READ));
    assert_true(lc_rules_is_managed(&r, "/sh/x/lib64", 0));
    assert_false(lc_rules_is_managed(&r, "/sh/x/share", 0));
    assert_false(lc_rules_is_managed(&r, "/usr/lib/python3/os.py", LC_USE_READ));
    assert_false(lc_rules_is_managed(&r, "/proc/self/maps", LC_USE_READ | LC_USE_ASKED));
    lc_rules_end(&r);
}

static void python_looks_for_its_landmarks_everywhere(void **state)
{
    struct lc_rules r = rules_with(NULL);

    (void)state;
    assert_true(lc_rules_is_managed(&r, "/sh/any/pyvenv.cfg", LC_USE_ABSENT));
    assert_true(lc_rules_is_managed(&r, "/sh/any/lib/python3.11/site-packages", LC_USE_ABSENT));
    assert_true(lc_rules_is_managed(&r, "/sh/lib/python311.zip", LC_USE_ABSENT));
    assert_true(lc_rules_is_managed(&r, "/sh/lib/python3.11/os.py", LC_USE_ABSENT));
    assert_false(lc_rules_is_managed(&r, "/sh/any/data.zip", LC_USE_ABSENT));
    assert_false(lc_rules_is_managed(&r, "/sh/any/other.cfg", LC_USE_ABSENT));
    assert_false(lc_rules_is_managed(&r, "/sh/user/me/run/pyvenv.cfg", LC_USE_ABSENT));
    lc_rules_end(&r);
}

static void packages_lead_to_the_entry_of_sys_path(void **state)
{
    struct lc_rules r = rules_with(NULL);
    struct lc_map packages = {0};

    (void)state;
    *lc_map_at(&packages, "/sh/py/site/pkg") = &r;
    *lc_map_at(&packages, "/sh/py/site/pkg/sub") = &r;
    lc_rules_learn(&r, "/sh/py/site/pkg/sub/__pycache__/m.cpython-311.pyc", LC_USE_READ, &packages);
    assert_true(lc_rules_is_managed(&r, "/sh/py/site/other/data.txt", LC_USE_READ));
    assert_false(lc_rules_is_managed(&r, "/sh/py/elsewhere", LC_USE_READ));
    lc_map_free(&packages, NULL);
    lc_rules_end(&r);
}

static void the_working_directory_s_data_is_not_ours(void **state)
{
    struct lc_rules r = rules_with(NULL);

    (void)state;
    lc_rules_learn(&r, "/sh/user/me/run/a.out", LC_USE_EXEC, &none);
    lc_rules_learn(&r, "/sh/user/me/run/venv/bin/python", LC_USE_EXEC, &none);
    assert_false(lc_rules_is_managed(&r, "/sh/user/me/run/input.dat", LC_USE_READ));
    assert_false(lc_rules_is_managed(&r, "/sh/user/me/run", LC_USE_LIST));
    assert_true(lc_rules_is_managed(&r, "/sh/user/me/run/a.out", LC_USE_EXEC));
    assert_true(lc_rules_is_managed(&r, "/sh/user/me/run/mod.py", LC_USE_READ));
    assert_true(lc_rules_is_managed(&r, "/sh/user/me/run/libz.so", LC_USE_READ));
    assert_true(lc_rules_is_managed(&r, "/sh/user/me/run/venv/lib/x.txt", LC_USE_READ));
    assert_true(lc_rules_is_managed(&r, "/sh/user/me/run/input.dat", LC_USE_ASKED));
    assert_false(lc_rules_may_be_complete(&r, "/sh/user/me/run"));
    lc_rules_end(&r);
}

static void exclusion_outranks_everything(void **state)
{
    struct lc_strings exclude = {{"*/secret/*"}, 1};
    struct lc_rules r = rules_with(&exclude);

    (void)state;
    lc_rules_learn(&r, "/sh/perl/bin/perl", LC_USE_EXEC, &none);
    assert_false(lc_rules_is_managed(&r, "/sh/perl/secret/x", LC_USE_READ | LC_USE_ASKED));
    assert_true(lc_rules_is_managed(&r, "/sh/perl/open/x", LC_USE_READ));
    lc_rules_end(&r);
}

static void names_of_libraries_and_modules(void **state)
{
    (void)state;
    assert_true(lc_is_library("/x/libc.so.6"));
    assert_true(lc_is_library("/x/_m.cpython-311-x86_64-linux-gnu.so"));
    assert_true(lc_is_library("/x/l.so"));
    assert_false(lc_is_library("/x.so/file"));
    assert_false(lc_is_library("/x/sorted.sock"));
    assert_true(lc_is_module("/x/m.py"));
    assert_true(lc_is_module("/x/m.pyc"));
    assert_false(lc_is_module("/x/m.pyx"));
}

static void types_of_file_systems(void **state)
{
    (void)state;
    assert_true(lc_type_is_local("ext4"));
    assert_true(lc_type_is_local("tmpfs"));
    assert_false(lc_type_is_local("lustre"));
    assert_false(lc_type_is_local("nfs4"));
    assert_false(lc_type_is_local("fuse.sshfs"));
    assert_false(lc_type_is_local("something-new"));
}

static void names_of_bytecode(void **state)
{
    char source[256], tag[64];
    int level;

    (void)state;
    assert_true(lc_pyc_parse("/a/__pycache__/m.cpython-311.pyc", source, sizeof(source), tag,
                             sizeof(tag), &level));
    assert_string_equal(source, "/a/m.py");
    assert_string_equal(tag, "cpython-311");
    assert_int_equal(level, 0);
    assert_true(lc_pyc_parse("/a/b/__pycache__/x.y.cpython-38.opt-2.pyc", source, sizeof(source),
                             tag, sizeof(tag), &level));
    assert_string_equal(source, "/a/b/x.y.py");
    assert_int_equal(level, 2);
    assert_false(lc_pyc_parse("/a/m.pyc", source, sizeof(source), tag, sizeof(tag), &level));
    assert_false(
        lc_pyc_parse("/a/__pycache__/m.pyc", source, sizeof(source), tag, sizeof(tag), &level));
    assert_false(
        lc_pyc_parse("/a/__pycache__/.pyc", source, sizeof(source), tag, sizeof(tag), &level));
    assert_false(lc_pyc_parse("/a/__pycache__/m.cpython-311.pyc.140", source, sizeof(source), tag,
                              sizeof(tag), &level));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(software_on_shared_file_systems),
        cmocka_unit_test(python_looks_for_its_landmarks_everywhere),
        cmocka_unit_test(packages_lead_to_the_entry_of_sys_path),
        cmocka_unit_test(the_working_directory_s_data_is_not_ours),
        cmocka_unit_test(exclusion_outranks_everything),
        cmocka_unit_test(names_of_libraries_and_modules),
        cmocka_unit_test(types_of_file_systems),
        cmocka_unit_test(names_of_bytecode),
    };
    return cmocka_run_group_tests_name("record/rules", tests, NULL, NULL);
}
