/* SPDX-License-Identifier: MIT */
/* elf_x86_64_link.c - addresses, the procedure linkage table and unwinding on x86-64 */
#include "gen/elf_x86_64.h"

#include <elf.h>
#include <string.h>

/* ---- the procedure linkage table, addresses ---- */

static void put_at(uint8_t *out, uint64_t from, uint64_t to)
{
    uint32_t distance = (uint32_t)(to - from - 4);

    memcpy(out, &distance, sizeof(distance));
}

void lc_x86_64_plt(uint8_t *out, uint64_t plt, uint64_t got, uint32_t slots)
{
    memcpy(out, "\xff\x35\0\0\0\0\xff\x25\0\0\0\0\x0f\x1f\x40\0", 16);
    put_at(out + 2, plt + 2, got + 8);
    put_at(out + 8, plt + 8, got + 16);
    for (uint32_t i = 0; i < slots; i++) {
        uint64_t at = plt + 16 * (i + 1);
        uint8_t *entry = out + 16 * (i + 1);
        memcpy(entry, "\xff\x25\0\0\0\0\x68\0\0\0\0\xe9\0\0\0\0", 16);
        put_at(entry + 2, at + 2, got + 24 + 8 * (uint64_t)i);
        memcpy(entry + 7, &i, sizeof(i));
        put_at(entry + 12, at + 12, plt);
    }
}

uint64_t lc_x86_64_lazy(uint64_t plt, uint32_t slot)
{
    return plt + 16 * (slot + 1) + 6;
}

void lc_x86_64_fix(uint8_t *place, uint64_t from, uint64_t to, enum lc_ref_kind kind)
{
    (void)kind;
    put_at(place, from, to);
}

void lc_x86_64_relocate(struct lc_buf *out, uint64_t place, uint32_t symbol, int64_t addend)
{
    Elf64_Rela r = {place, ELF64_R_INFO((uint64_t)symbol, R_X86_64_PC32), addend - 4};

    lc_buf_add(out, &r, sizeof(r));
}

/* ---- unwinding ---- */

void lc_x86_64_cie(struct lc_buf *out)
{
    LC_CFI(out, "\x0c\x07\x08\x90\x01"); /* CFA = rsp + 8, return address at CFA - 8 */
}

void lc_x86_64_cfi(struct lc_buf *out, const struct lc_frame *frame)
{
    bool full = frame->shape == LC_FRAME_FULL;

    if (frame->shape == LC_FRAME_LEAF)
        return;
    LC_CFI(out, "\x41\x0e\x10\x86\x02\x43\x0d\x06"); /* push %rbp; mov %rsp, %rbp */
    if (full)
        LC_CFI(out, "\x41\x83\x03"); /* push %rbx */
    lc_frame_advance(out, frame->size - 1 - (full ? 5 : 4));
    LC_CFI(out, "\x0c\x07\x08"); /* at ret: CFA = rsp + 8 */
}

/* Within an entry of 16 bytes, the stack is 8 deeper from the 11th: CFA = rsp + 8 + that. */
void lc_x86_64_cfi_plt(struct lc_buf *out)
{
    LC_CFI(out, "\x0e\x10\x46\x0e\x18\x4a\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22");
}
