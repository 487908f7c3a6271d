/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/read_ahead.h"

enum { FILES = 200 };

static char dir[] = "/tmp/loadcast-readahead.XXXXXX";
static char path[FILES][64];
static struct lc_tree_entry entry[FILES];
static struct lc_item item[FILES];

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(dir))
        return -1;
    for (int i = 0; i < FILES; i++) {
        snprintf(path[i], sizeof(path[i]), "%s/%d", dir, i);
        entry[i].kind = LC_KIND_FILE;
        entry[i].source = i % 10 == 9 ? LC_SOURCE_NONE : LC_SOURCE_FILE;
        item[i] = (struct lc_item){path[i], &entry[i]};
        FILE *f = fopen(path[i], "w");
        if (!f || fprintf(f, "content of %d", i) < 0 || fclose(f) != 0)
            return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < FILES; i++)
        unlink(path[i]);
    return rmdir(dir);
}

static void slow_file_system_show(struct lc_read_ahead *all)
{
    for (int i = 0; i < 8; i++)
        lc_read_ahead_note(all, 1000000);
}

static void a_fast_file_system_is_read_when_it_is_needed(void **state)
{
    struct lc_read_ahead *all = lc_read_ahead_begin(item, FILES);
    struct lc_file_read got;

    (void)state;
    assert_non_null(all);
    for (int i = 0; i < FILES; i++) {
        lc_read_ahead_note(all, 2000);
        assert_false(lc_read_ahead_take(all, (size_t)i, &got));
    }
    lc_read_ahead_end(all);
}

static int threads_count(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int n = 0;

    assert_non_null(tasks);
    for (const struct dirent *e; (e = readdir(tasks));)
        n += e->d_name[0] != '.';
    closedir(tasks);
    return n;
}

/* A disk of this machine is slow now and then, one over a network at every third file. */
static void single_slow_opens_start_no_reader(void **state)
{
    struct lc_read_ahead *all = lc_read_ahead_begin(item, FILES);

    (void)state;
    assert_non_null(all);
    for (int i = 0; i < 100; i++)
        lc_read_ahead_note(all, i % 10 < 1 ? 1000000 : 2000);
    assert_int_equal(threads_count(), 1);
    for (int i = 0; i < 60; i++)
        lc_read_ahead_note(all, i % 3 < 1 ? 1000000 : 2000);
    assert_int_not_equal(threads_count(), 1);
    lc_read_ahead_end(all);
}

/* Some are not asked for, as further names of a file that was stored already. What no reader has
 * begun in time is left to the caller: how many that are is not certain. */
static void what_was_read_is_the_file_that_was_asked_for(void **state)
{
    struct lc_read_ahead *all = lc_read_ahead_begin(item, FILES);
    struct lc_file_read got;
    char want[64];

    (void)state;
    slow_file_system_show(all);
    for (int i = 0; i < FILES; i++) {
        if (i % 7 == 3 || !lc_read_ahead_take(all, (size_t)i, &got))
            continue;
        snprintf(want, sizeof(want), "content of %d", i);
        assert_int_equal(entry[i].source, LC_SOURCE_FILE);
        assert_int_equal(got.before.st_size, strlen(want));
        assert_memory_equal(got.bytes, want, strlen(want));
        assert_true(got.is_fresh);
        free(got.bytes);
    }
    lc_read_ahead_end(all);
}

static void the_end_may_come_before_all_was_taken(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        struct lc_read_ahead *all = lc_read_ahead_begin(item, FILES);
        slow_file_system_show(all);
        lc_read_ahead_end(all);
    }
    lc_read_ahead_end(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fast_file_system_is_read_when_it_is_needed),
        cmocka_unit_test(single_slow_opens_start_no_reader),
        cmocka_unit_test(what_was_read_is_the_file_that_was_asked_for),
        cmocka_unit_test(the_end_may_come_before_all_was_taken),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
