/* SPDX-License-Identifier: MIT */
/* hash_test.c - our XXH64 equals libxxhash's; the hash of paths spreads similar paths */
#include "util/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "image/hash.h"

static void equals_libxxhash_at_every_length(void **state)
{
    unsigned char bytes[300];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * 131 + 7);
    for (size_t len = 0; len < sizeof(bytes) - 8; len++)
        for (size_t at = 0; at < 8; at++)
            assert_int_equal(lc_hash(bytes + at, len), XXH64(bytes + at, len, 0));
}

static int compare_values(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Names of every length that differ in one character only, as numbered files do. */
static void paths_that_differ_a_little_have_different_hashes(void **state)
{
    enum { LENGTHS = 100, VALUES = 20 };
    static uint64_t hash[LENGTHS * LENGTHS * VALUES];
    char path[LENGTHS];
    size_t n = 0;

    (void)state;
    for (size_t len = 1; len < LENGTHS; len++)
        for (size_t at = 0; at < len; at++)
            for (int value = 0; value < VALUES; value++) {
                memset(path, 'a', sizeof(path));
                path[at] = (char)('b' + value);
                hash[n++] = lc_hash_path(path, len);
            }
    qsort(hash, n, sizeof(*hash), compare_values);
    for (size_t i = 1; i < n; i++)
        assert_true(hash[i] != hash[i - 1]);
}

/* The lower half of the hash chooses the slot, the upper half is the tag: both must be spread
 * evenly. */
static void paths_of_a_tree_are_spread_evenly(void **state)
{
    enum { PATHS = 1 << 16, PLACES = 1 << 17 };
    static unsigned char low[PLACES], high[PLACES];
    size_t used[2] = {0, 0};
    char path[120];

    (void)state;
    for (int i = 0; i < PATHS; i++) {
        int len = snprintf(path, sizeof(path), "/sw/lib/python3.11/site-packages/p%d/m_%d.py",
                           i / 40, i % 40);
        uint64_t h = lc_hash_path(path, (size_t)len);
        used[0] += !low[h % PLACES]++;
        used[1] += !high[(h >> 32) % PLACES]++;
    }
    /* Random values would use (1 - exp(-1/2)) of twice as many slots: 51574. */
    assert_in_range(used[0], 51000, 52200);
    assert_in_range(used[1], 51000, 52200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_libxxhash_at_every_length),
        cmocka_unit_test(paths_that_differ_a_little_have_different_hashes),
        cmocka_unit_test(paths_of_a_tree_are_spread_evenly),
    };
    return cmocka_run_group_tests_name("image/hash", tests, NULL, NULL);
}
