/* SPDX-License-Identifier: MIT */
/* elf_aarch64.h - what the two files about AArch64 share: see struct lc_machine */
#ifndef LC_GEN_ELF_AARCH64_H
#define LC_GEN_ELF_AARCH64_H

#include "gen/elf_machine.h"

void lc_aarch64_plt(uint8_t *out, uint64_t plt, uint64_t got, uint32_t slots);
uint64_t lc_aarch64_lazy(uint64_t plt, uint32_t number);
void lc_aarch64_fix(uint8_t *place, uint64_t from, uint64_t to, enum lc_ref_kind kind);
void lc_aarch64_relocate(struct lc_buf *out, uint64_t place, uint32_t symbol, int64_t addend);
void lc_aarch64_cie(struct lc_buf *out);
void lc_aarch64_cfi(struct lc_buf *out, const struct lc_frame *frame);

#endif
