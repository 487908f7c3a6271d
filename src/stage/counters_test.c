/* SPDX-License-Identifier: MIT */
/* counters_test.c - counters: each has a name, differences are differences, paths come sorted */
#include "util/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stage/counters.h"

static void every_counter_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; i < LC_COUNTS; i++) {
        assert_non_null(lc_count_names[i].key);
        assert_non_null(lc_count_names[i].text);
        assert_int_equal(lc_count_is_passed(i) + lc_count_is_answered(i), i != LC_COUNT_PROCESSES);
        assert_int_equal(lc_count_is_passed(i), strncmp(lc_count_names[i].key, "pass_", 5) == 0);
    }
}

static void a_new_one_fits_its_entries(void **state)
{
    (void)state;
    for (uint32_t entries = 0; entries < 100; entries += 11) {
        struct lc_live *live = malloc(lc_live_size(entries));
        lc_live_begin(live, entries);
        assert_int_equal(live->length, lc_live_size(entries));
        assert_int_equal(live->written_offset % 8, 0);
        assert_true(live->length - live->written_offset >= (entries + 31) / 32 * 4);
        assert_memory_equal(live->magic, LC_LIVE_MAGIC, 8);
        free(live);
    }
}

static void since_is_a_difference(void **state)
{
    struct lc_live *live = malloc(lc_live_size(1));

    (void)state;
    lc_live_begin(live, 1);
    live->count[LC_COUNT_STAT] = 5;
    struct lc_counts before = lc_live_read(live);
    live->count[LC_COUNT_STAT] = 12;
    live->bytes_opened = 99;
    struct lc_counts now = lc_live_since(live, &before);
    assert_int_equal(now.count[LC_COUNT_STAT], 7);
    assert_int_equal(now.bytes_opened, 99);
    free(live);
}

static void paths_by_number_and_only_finished_ones(void **state)
{
    struct lc_live *live = malloc(lc_live_size(1));
    struct lc_passed_path path[LC_PASSED_PATHS];

    (void)state;
    lc_live_begin(live, 1);
    for (int i = 0; i < 4; i++) {
        live->passed[i].state = i == 3 ? 1 : 2;
        live->passed[i].count = (uint64_t[]){2, 9, 4, 100}[i];
        snprintf(live->passed[i].path, LC_PASSED_LEN, "/p%d", i);
    }
    memset(live->passed[2].path, 'x', LC_PASSED_LEN); /* never ends: damaged */
    assert_int_equal(lc_live_passed(live, NULL, path), 3);
    assert_string_equal(path[0].path, "/p1");
    assert_int_equal(strlen(path[1].path), LC_PASSED_LEN - 1);
    assert_string_equal(path[2].path, "/p0");
    struct lc_live before = *live;
    live->passed[0].count = 7;
    assert_int_equal(lc_live_passed(live, &before, path), 1);
    assert_string_equal(path[0].path, "/p0");
    assert_int_equal(path[0].count, 5);
    free(live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_counter_has_a_name),
        cmocka_unit_test(a_new_one_fits_its_entries),
        cmocka_unit_test(since_is_a_difference),
        cmocka_unit_test(paths_by_number_and_only_finished_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
