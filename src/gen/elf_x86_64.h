/* SPDX-License-Identifier: MIT */
/* elf_x86_64.h - what the two files about x86-64 share: see struct lc_machine */
#ifndef LC_GEN_ELF_X86_64_H
#define LC_GEN_ELF_X86_64_H

#include "gen/elf_machine.h"

void lc_x86_64_plt(uint8_t *out, uint64_t plt, uint64_t got, uint32_t slots);
uint64_t lc_x86_64_lazy(uint64_t plt, uint32_t slot);
void lc_x86_64_fix(uint8_t *place, uint64_t from, uint64_t to, enum lc_ref_kind kind);
void lc_x86_64_relocate(struct lc_buf *out, uint64_t place, uint32_t symbol, int64_t addend);
void lc_x86_64_cie(struct lc_buf *out);
void lc_x86_64_cfi(struct lc_buf *out, const struct lc_frame *frame);
void lc_x86_64_cfi_plt(struct lc_buf *out);

#endif
