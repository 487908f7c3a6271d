/* SPDX-License-Identifier: MIT */
/* hash_test.c - our XXH64 is everybody's XXH64 */
#include "util/test.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_libxxhash_at_every_length),
    };
    return cmocka_run_group_tests_name("image/hash", tests, NULL, NULL);
}
