/* SPDX-License-Identifier: MIT */
/* elf_frame.c - unwind information: .eh_frame, and .eh_frame_hdr, the table to search it by */
#include <string.h>

#include "gen/elf_shared.h"

enum { PCREL_SDATA4 = 0x1b, UDATA4 = 0x03, DATAREL_SDATA4 = 0x3b };

static void add32(struct lc_buf *out, uint64_t value)
{
    uint32_t v = (uint32_t)value;

    lc_buf_add(out, &v, sizeof(v));
}

/* Pads an entry that began at 'start' and writes its length. */
static void entry_close(struct lc_buf *out, size_t start)
{
    while (out->len % 4)
        lc_buf_putc(out, 0);
    uint32_t length = (uint32_t)(out->len - start - 4);
    if (!out->failed)
        memcpy(out->data + start, &length, sizeof(length));
}

void lc_frame_advance(struct lc_buf *out, uint32_t by)
{
    if (by < 64)
        lc_buf_putc(out, (char)(0x40 | by));
    else if (by < 256)
        lc_buf_add(out, (char[]){0x02, (char)by}, 2);
    else if (by < 65536)
        lc_buf_add(out, (char[]){0x03, (char)by, (char)(by >> 8)}, 3);
    else
        lc_buf_add(
            out, (char[]){0x04, (char)by, (char)(by >> 8), (char)(by >> 16), (char)(by >> 24)}, 5);
}

void lc_frame_add_cie(struct lc_buf *out, const struct lc_machine *m)
{
    size_t start = out->len;

    lc_buf_extend(out, 8);
    lc_buf_add(out, "\1zR", 4);
    lc_buf_putc(out, (char)m->cie_code_align);
    lc_buf_putc(out, (char)m->cie_data_align);
    lc_buf_putc(out, (char)m->cie_return);
    lc_buf_putc(out, 1);
    lc_buf_putc(out, PCREL_SDATA4);
    m->cie(out);
    entry_close(out, start);
}

/* The head of an FDE. The CIE is at offset 0; 'at' is the address of the section. */
static size_t fde_open(struct lc_buf *out, uint64_t at, uint64_t code, uint64_t size)
{
    size_t start = out->len;

    add32(out, 0);
    add32(out, start + 4);
    add32(out, code - (at + start + 8));
    add32(out, size);
    lc_buf_putc(out, 0);
    return start;
}

size_t lc_frame_add(struct lc_buf *out, const struct lc_machine *m, const struct lc_frame *frame,
                    uint64_t at, uint64_t text)
{
    size_t start = fde_open(out, at, text + frame->start, frame->size);

    m->cfi(out, frame);
    entry_close(out, start);
    return start + 8;
}

int lc_frame_write(const struct lc_shared *s, struct lc_buf *out)
{
    const struct lc_machine *m = s->unit->machine;
    uint64_t at = lc_shared_address(s, LC_SEC_EH_FRAME);
    uint64_t text = lc_shared_address(s, LC_SEC_TEXT);

    lc_frame_add_cie(out, m);
    if (m->cfi_plt) {
        size_t start =
            fde_open(out, at, lc_shared_address(s, LC_SEC_PLT), s->section[LC_SEC_PLT].sh_size);
        m->cfi_plt(out);
        entry_close(out, start);
    }
    for (uint32_t i = 0; i < s->unit->frames; i++)
        lc_frame_add(out, m, &s->unit->frame[i], at, text);
    add32(out, 0);
    return out->failed ? -1 : 0;
}

static size_t table_entries(const struct lc_unit *unit)
{
    return unit->frames + (unit->machine->cfi_plt ? 1 : 0);
}

size_t lc_frame_table_bytes(const struct lc_unit *unit)
{
    return 12 + 8 * table_entries(unit);
}

/* The search table: code address and FDE address of each entry, relative to the table. Entries were
 * written in the order of code, so both ascend. */
void lc_frame_write_table(const struct lc_shared *s)
{
    uint64_t at = lc_shared_address(s, LC_SEC_EH_HDR);
    uint64_t frames = lc_shared_address(s, LC_SEC_EH_FRAME);
    const uint8_t *fde = lc_shared_bytes(s, LC_SEC_EH_FRAME);
    uint8_t *table = lc_shared_bytes(s, LC_SEC_EH_HDR);
    size_t n = table_entries(s->unit), where = 0;
    uint32_t length;
    int32_t code;

    uint32_t head[3] = {1 | PCREL_SDATA4 << 8 | UDATA4 << 16 | (uint32_t)DATAREL_SDATA4 << 24,
                        (uint32_t)(frames - (at + 4)), (uint32_t)n};
    memcpy(table, head, sizeof(head));
    memcpy(&length, fde, sizeof(length));
    where = length + 4; /* after the CIE */
    for (size_t i = 0; i < n; i++) {
        memcpy(&length, fde + where, sizeof(length));
        memcpy(&code, fde + where + 8, sizeof(code));
        uint64_t start = frames + where + 8 + (uint64_t)(int64_t)code;
        uint32_t pair[2] = {(uint32_t)(start - at), (uint32_t)(frames + where - at)};
        memcpy(table + 12 + 8 * i, pair, sizeof(pair));
        where += length + 4;
    }
}
