/* SPDX-License-Identifier: MIT */
/* reloc_kind_test.c - what is replayed, and what is left to ld.so, on each machine */
#include "util/test.h"

#include "node/arch.h"

static void on_x86_64(void **state)
{
    static const uint32_t left[] = {R_X86_64_NONE,     R_X86_64_IRELATIVE, R_X86_64_COPY,
                                    R_X86_64_TLSDESC,  R_X86_64_TPOFF64,   R_X86_64_DTPMOD64,
                                    R_X86_64_DTPOFF64, R_X86_64_PC32,      R_X86_64_32};

    (void)state;
    assert_int_equal(lc_reloc_kind_x86_64(R_X86_64_RELATIVE), LC_RELOC_RELATIVE);
    assert_int_equal(lc_reloc_kind_x86_64(R_X86_64_GLOB_DAT), LC_RELOC_SYMBOL);
    assert_int_equal(lc_reloc_kind_x86_64(R_X86_64_JUMP_SLOT), LC_RELOC_SYMBOL);
    assert_int_equal(lc_reloc_kind_x86_64(R_X86_64_64), LC_RELOC_SYMBOL_ADD);
    for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
        assert_int_equal(lc_reloc_kind_x86_64(left[i]), LC_RELOC_LEFT);
}

static void on_aarch64(void **state)
{
    static const uint32_t left[] = {R_AARCH64_NONE,       R_AARCH64_IRELATIVE, R_AARCH64_COPY,
                                    R_AARCH64_TLSDESC,    R_AARCH64_TLS_TPREL, R_AARCH64_TLS_DTPMOD,
                                    R_AARCH64_TLS_DTPREL, R_AARCH64_ABS32};

    (void)state;
    assert_int_equal(lc_reloc_kind_aarch64(R_AARCH64_RELATIVE), LC_RELOC_RELATIVE);
    assert_int_equal(lc_reloc_kind_aarch64(R_AARCH64_GLOB_DAT), LC_RELOC_SYMBOL);
    assert_int_equal(lc_reloc_kind_aarch64(R_AARCH64_JUMP_SLOT), LC_RELOC_SYMBOL);
    assert_int_equal(lc_reloc_kind_aarch64(R_AARCH64_ABS64), LC_RELOC_SYMBOL_ADD);
    for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
        assert_int_equal(lc_reloc_kind_aarch64(left[i]), LC_RELOC_LEFT);
}

/* This machine's table is that of its own relocations. */
static void here(void **state)
{
    uint32_t relative = LC_ARCH_MACHINE == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;

    (void)state;
    assert_int_equal(lc_arch_kind(relative), LC_RELOC_RELATIVE);
    assert_int_equal(lc_arch_kind(LC_ARCH_IRELATIVE), LC_RELOC_LEFT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_x86_64),
        cmocka_unit_test(on_aarch64),
        cmocka_unit_test(here),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
