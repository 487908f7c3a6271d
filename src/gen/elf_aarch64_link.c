/* SPDX-License-Identifier: MIT */
/* elf_aarch64_link.c - addresses, the procedure linkage table and unwinding on AArch64 */
#include "gen/elf_aarch64.h"

#include <elf.h>
#include <string.h>

/* ---- the procedure linkage table, addresses ---- */

static uint32_t page_distance(uint64_t from, uint64_t to)
{
    uint32_t pages = (uint32_t)((to >> 12) - (from >> 12));

    return (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5;
}

/* adrp x16; ldr x17, [x16]; add x16; br x17: jumps through the GOT slot and leaves its
 * address in x16. */
static void jump_through(uint8_t *out, uint64_t from, uint64_t to)
{
    uint32_t low = (uint32_t)to & 0xfff;
    uint32_t code[4] = {0x90000010 | page_distance(from, to), 0xf9400211 | low / 8 << 10,
                        0x91000210 | low << 10, 0xd61f0220};

    memcpy(out, code, sizeof(code));
}

void lc_aarch64_plt(uint8_t *out, uint64_t plt, uint64_t got, uint32_t slots)
{
    const uint32_t first = 0xa9bf7bf0, nop = 0xd503201f; /* stp x16, x30, [sp, #-16]! */

    memcpy(out, &first, sizeof(first));
    jump_through(out + 4, plt + 4, got + 16);
    for (int i = 20; i < 32; i += 4)
        memcpy(out + i, &nop, sizeof(nop));
    for (uint64_t i = 0; i < slots; i++)
        jump_through(out + 32 + 16 * i, plt + 32 + 16 * i, got + 24 + 8 * i);
}

uint64_t lc_aarch64_lazy(uint64_t plt, uint32_t number)
{
    (void)number;
    return plt;
}

void lc_aarch64_fix(uint8_t *place, uint64_t from, uint64_t to, enum lc_ref_kind kind)
{
    uint32_t code[2];

    memcpy(code, place, sizeof(code));
    if (kind == LC_REF_CALL) {
        code[0] |= (uint32_t)((to - from) / 4) & 0x3ffffff;
        memcpy(place, code, sizeof(*code));
        return;
    }
    uint32_t low = (uint32_t)to & 0xfff;
    code[0] |= page_distance(from, to);
    code[1] |= (kind == LC_REF_GOT ? low / 8 : low) << 10;
    memcpy(place, code, sizeof(code));
}

void lc_aarch64_relocate(struct lc_buf *out, uint64_t place, uint32_t symbol, int64_t addend)
{
    Elf64_Rela r[2] = {
        {place, ELF64_R_INFO((uint64_t)symbol, R_AARCH64_ADR_PREL_PG_HI21), addend},
        {place + 4, ELF64_R_INFO((uint64_t)symbol, R_AARCH64_ADD_ABS_LO12_NC), addend}};

    lc_buf_add(out, r, sizeof(r));
}

/* ---- unwinding ---- */

void lc_aarch64_cie(struct lc_buf *out)
{
    LC_CFI(out, "\x0c\x1f\x00"); /* CFA = sp */
}

void lc_aarch64_cfi(struct lc_buf *out, const struct lc_frame *frame)
{
    if (frame->shape == LC_FRAME_LEAF)
        return;
    if (frame->shape == LC_FRAME_FULL) {
        LC_CFI(out, "\x41\x0e\x30\x9d\x06\x9e\x05\x42\x93\x04"); /* stp; mov; str x19 */
        lc_frame_advance(out, frame->size / 4 - 4);
        LC_CFI(out, "\xde\xdd\xd3\x0e\x00"); /* at ret: all restored, CFA = sp */
        return;
    }
    if (frame->shape == LC_FRAME_PLAIN)
        LC_CFI(out, "\x41\x0e\xd0\x02\x9d\x2a\x9e\x29"); /* stp of 336 bytes */
    else
        LC_CFI(out, "\x41\x0e\x20\x9d\x04\x9e\x03");
    lc_frame_advance(out, frame->size / 4 - 2);
    LC_CFI(out, "\xde\xdd\x0e\x00");
}
