/* SPDX-License-Identifier: MIT */
/* dynamic_tags_test.c - where the tables of a loaded object are */
#include "util/test.h"

#include "node/dynamic_tags.h"

static void assert_at(uintptr_t load_address, uintptr_t value, uintptr_t at)
{
    struct link_map map = {.l_addr = load_address};

    assert_int_equal((uintptr_t)lc_tag_address(&map, value), at);
}

static void what_ld_so_has_relocated_stays(void **state)
{
    (void)state;
    assert_at(0x7f1234560000, 0x7f1234560120, 0x7f1234560120);
    assert_at(0, 0x400120, 0x400120); /* a program at a fixed address */
}

static void what_it_has_not_is_relocated(void **state)
{
    (void)state;
    assert_at(0x7ffd11110000, 0x120, 0x7ffd11110120); /* the kernel's own object (vDSO) */
}

/* User-mode Linux: linked to the upper end of the address space, mapped below. */
static void a_vdso_that_is_linked_high_is_relocated(void **state)
{
    (void)state;
    assert_at(0x7fc08ff000, 0xffffffffff700120, 0x7fbffff120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_ld_so_has_relocated_stays),
        cmocka_unit_test(what_it_has_not_is_relocated),
        cmocka_unit_test(a_vdso_that_is_linked_high_is_relocated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
