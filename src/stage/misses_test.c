/* SPDX-License-Identifier: MIT */
/* misses_test.c - the miss log: each path once, never beyond its end, whatever it holds */
#include "util/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/attach.h"
#include "stage/counters.h"
#include "stage/misses.h"

enum { ENTRIES = 5 };

/* A process that has mapped 'live'. */
static struct lc_node node_make(void)
{
    struct lc_node node = {.live_size = lc_live_size(ENTRIES)};

    node.live = calloc(1, node.live_size);
    lc_live_begin(node.live, ENTRIES);
    node.misses = (void *)((char *)node.live + node.live->misses_offset);
    return node;
}

static unsigned kinds_of(const struct lc_misses *misses, const char *path)
{
    const unsigned *kinds = lc_map_get(&misses->paths, path);

    return kinds ? *kinds : 0;
}

static void a_path_is_noted_once_for_each_kind(void **state)
{
    struct lc_node node = node_make();
    struct lc_misses misses = {0};

    (void)state;
    lc_node_note_miss(&node, LC_MISS_STAT, "/a/b");
    uint64_t used = node.misses->used;
    lc_node_note_miss(&node, LC_MISS_STAT, "/a/b");
    assert_int_equal(node.misses->used, used);
    lc_node_note_miss(&node, LC_MISS_READ, "/a/b");
    lc_node_note_miss(&node, LC_MISS_NONE, "/none");
    lc_node_note_miss(&node, LC_MISS_READ, "relative");
    assert_int_equal(lc_misses_read(&misses, node.live, node.live_size, NULL), 0);
    assert_int_equal(misses.paths.count, 1);
    assert_int_equal(kinds_of(&misses, "/a/b"), 1u << LC_MISS_STAT | 1u << LC_MISS_READ);
    assert_true(misses.began_wall_ns > 0);
    lc_misses_free(&misses);
    free(node.live);
}

static void a_full_log_counts_what_it_lost(void **state)
{
    struct lc_node node = node_make();
    struct lc_misses misses = {0};
    char path[300];
    size_t noted = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        snprintf(path, sizeof(path), "/lustre/a/directory/with/a/long/name/%090d", i);
        lc_node_note_miss(&node, i % 10 ? LC_MISS_STAT : LC_MISS_WRITE, path);
    }
    assert_int_equal(lc_misses_read(&misses, node.live, node.live_size, NULL), 0);
    noted = misses.paths.count;
    assert_true(noted > 6000 && noted < 20000);
    assert_int_equal(misses.lost, 20000 - noted);
    assert_true(misses.lost_writes > 0 && misses.lost_writes < misses.lost);
    lc_misses_free(&misses);
    free(node.live);
}

static void a_record_that_is_not_complete_is_passed_over(void **state)
{
    struct lc_node node = node_make();
    struct lc_misses misses = {0};

    (void)state;
    node.misses->used += 64; /* killed before it wrote its length */
    lc_node_note_miss(&node, LC_MISS_MAP, "/killed/before/the/end");
    struct lc_miss *killed = (void *)(node.misses->record + 64);
    killed->is_done = 0;
    lc_node_note_miss(&node, LC_MISS_MAP, "/whole");
    assert_int_equal(lc_misses_read(&misses, node.live, node.live_size, NULL), 0);
    assert_int_equal(misses.paths.count, 1);
    assert_int_equal(kinds_of(&misses, "/whole"), 1u << LC_MISS_MAP);
    lc_misses_free(&misses);
    free(node.live);
}

/* Address sanitizer sees what is read beyond the end. */
static void whatever_the_log_holds_nothing_beyond_it_is_touched(void **state)
{
    struct lc_node node = node_make();
    struct lc_misses misses = {0};
    uint32_t random = 1;

    (void)state;
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < LC_MISS_ROOM; i++) {
            random = random * 1664525u + 1013904223u;
            node.misses->record[i] = (char)(random >> 24);
        }
        node.misses->used = round % 2 ? LC_MISS_ROOM - (uint64_t)round : ~(uint64_t)round;
        lc_node_note_miss(&node, LC_MISS_STAT, "/some/path");
        assert_int_equal(lc_misses_read(&misses, node.live, node.live_size, NULL), 0);
        lc_misses_free(&misses);
    }
    node.live->misses_offset = node.live_size - 8;
    assert_int_equal(lc_misses_read(&misses, node.live, node.live_size, NULL), 0);
    assert_int_equal(misses.paths.count, 0);
    free(node.live);
}

/* How many of so many nodes are chosen at a time; *both counts those chosen an hour later, too. */
static int sampled_count(long nodes, int *both)
{
    const uint64_t hour_ns = 3600000000000u;
    int count = 0;

    *both = 0;
    for (long i = 0; i < nodes; i++) {
        char host[32];
        snprintf(host, sizeof(host), "nid%06ld", i);
        bool now = lc_misses_is_sampled(host, hour_ns * 400000, nodes);
        count += now;
        *both += now && lc_misses_is_sampled(host, hour_ns * 400001, nodes);
    }
    return count;
}

static void of_many_nodes_about_64_are_read_and_others_at_another_time(void **state)
{
    int both;

    (void)state;
    assert_int_equal(sampled_count(1, &both), 1);
    assert_int_equal(sampled_count(64, &both), 64);
    assert_in_range(sampled_count(9408, &both), 32, 96);
    assert_int_equal(both, 0);
    assert_false(lc_misses_is_sampled("nid000001", 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_noted_once_for_each_kind),
        cmocka_unit_test(a_full_log_counts_what_it_lost),
        cmocka_unit_test(a_record_that_is_not_complete_is_passed_over),
        cmocka_unit_test(of_many_nodes_about_64_are_read_and_others_at_another_time),
        cmocka_unit_test(whatever_the_log_holds_nothing_beyond_it_is_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
