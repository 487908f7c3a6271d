/* SPDX-License-Identifier: MIT */
#include "util/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/map.h"

static void keeps_thousands_of_keys_in_order(void **state)
{
    struct lc_map map = {0};
    char key[32];

    (void)state;
    assert_null(lc_map_get(&map, "absent"));
    for (long i = 0; i < 5000; i++) {
        snprintf(key, sizeof(key), "/dir/%ld", i);
        long *value = lc_map_object(&map, key, sizeof(*value));
        assert_int_equal(*value, 0);
        *value = i;
    }
    assert_int_equal(map.count, 5000);
    for (long i = 0; i < 5000; i++) {
        snprintf(key, sizeof(key), "/dir/%ld", i);
        assert_int_equal(*(long *)lc_map_get(&map, key), i);
        assert_string_equal(map.entry[i].key, key);
    }
    assert_null(lc_map_get(&map, "/dir/5000"));
    lc_map_free(&map, free);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_thousands_of_keys_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
