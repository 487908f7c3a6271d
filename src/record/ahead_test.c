/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/ahead.h"

static char dir[] = "/tmp/loadcast-ahead.XXXXXX";
static struct lc_ahead_paths all;

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(dir) && chdir(dir) == 0 && mkdir("there", 0700) == 0 &&
                   symlink("there", "link") == 0
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    lc_ahead_free(&all);
    return unlink("link") == 0 && rmdir("there") == 0 && chdir("/") == 0 && rmdir(dir) == 0 ? 0
                                                                                            : -1;
}

static const char *below(const char *name)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return path;
}

static void what_was_added_is_answered_with_the_directories_above(void **state)
{
    (void)state;
    assert_int_equal(lc_ahead_add(&all, below("there/none")), 0);
    assert_int_equal(lc_ahead_add(&all, below("link")), 0);
    assert_null(lc_ahead_find(&all, below("there")));
    lc_ahead_ask(&all);

    const struct lc_ahead *a = lc_ahead_find(&all, below("there/none"));
    assert_non_null(a);
    assert_int_equal(a->error, ENOENT);
    a = lc_ahead_find(&all, below("there"));
    assert_non_null(a);
    assert_int_equal(a->error, 0);
    assert_true(S_ISDIR(a->st.st_mode));
    assert_non_null(lc_ahead_find(&all, dir));
    assert_non_null(lc_ahead_find(&all, "/"));
    a = lc_ahead_find(&all, below("link"));
    assert_non_null(a);
    assert_true(S_ISLNK(a->st.st_mode));
    assert_string_equal(a->target, "there");
    assert_null(lc_ahead_find(&all, below("other")));
}

/* Only the walk knows where ".." leads to behind a link. */
static void paths_with_dots_are_left_to_the_walk(void **state)
{
    struct lc_ahead_paths odd = {0};

    (void)state;
    assert_int_equal(lc_ahead_add(&odd, "/tmp/../tmp"), 0);
    assert_int_equal(lc_ahead_add(&odd, "relative"), 0);
    assert_int_equal(lc_ahead_add(&odd, "/tmp/./none"), 0);
    assert_int_equal(lc_ahead_add(&odd, "/tmp/.hidden/.."), 0);
    assert_int_equal(lc_ahead_add(&odd, "/tmp/."), 0);
    assert_int_equal(odd.known.count, 0);
    lc_ahead_free(&odd);
}

static void hidden_names_are_as_others(void **state)
{
    const char *const name[] = {"/none/.local/lib", "/none/..data", "/none/...", "/none/.venv"};
    struct lc_ahead_paths hidden = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
        assert_int_equal(lc_ahead_add(&hidden, name[i]), 0);
        assert_true(lc_map_has(&hidden.known, name[i]));
    }
    lc_ahead_free(&hidden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_answered_with_the_directories_above),
        cmocka_unit_test(paths_with_dots_are_left_to_the_walk),
        cmocka_unit_test(hidden_names_are_as_others),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
