/* SPDX-License-Identifier: MIT */
/* reloc_kind.h - which relocations are replayed, for each machine; arch.h selects this one's as
 * lc_arch_kind. Freestanding. */
#ifndef LC_NODE_RELOC_KIND_H
#define LC_NODE_RELOC_KIND_H

#include <elf.h>
#include <stdint.h>

enum lc_reloc_kind {
    LC_RELOC_LEFT,       /* left to ld.so: TLS, COPY, IRELATIVE, anything rare */
    LC_RELOC_RELATIVE,   /* base + addend */
    LC_RELOC_SYMBOL,     /* the symbol's address; the addend must be 0 */
    LC_RELOC_SYMBOL_ADD, /* the symbol's address + addend */
};

static inline enum lc_reloc_kind lc_reloc_kind_x86_64(uint32_t type)
{
    switch (type) {
    case R_X86_64_RELATIVE:
        return LC_RELOC_RELATIVE;
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT:
        return LC_RELOC_SYMBOL;
    case R_X86_64_64:
        return LC_RELOC_SYMBOL_ADD;
    default:
        return LC_RELOC_LEFT;
    }
}

/* All thread variables (TLSDESC, TLS_TPREL, ...) are ld.so's. */
static inline enum lc_reloc_kind lc_reloc_kind_aarch64(uint32_t type)
{
    switch (type) {
    case R_AARCH64_RELATIVE:
        return LC_RELOC_RELATIVE;
    case R_AARCH64_GLOB_DAT:
    case R_AARCH64_JUMP_SLOT:
        return LC_RELOC_SYMBOL;
    case R_AARCH64_ABS64:
        return LC_RELOC_SYMBOL_ADD;
    default:
        return LC_RELOC_LEFT;
    }
}

#endif
