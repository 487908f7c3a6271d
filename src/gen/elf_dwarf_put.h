/* SPDX-License-Identifier: MIT */
/* elf_dwarf_put.h - numbers and text in DWARF's encodings, for the files that write it */
#ifndef LC_GEN_ELF_DWARF_PUT_H
#define LC_GEN_ELF_DWARF_PUT_H

#include <string.h>

#include "gen/elf_dwarf_codes.h"
#include "util/buf.h"

static inline void put8(struct lc_buf *out, unsigned value)
{
    lc_buf_putc(out, (char)value);
}

static inline void put16(struct lc_buf *out, uint16_t value)
{
    lc_buf_add(out, &value, sizeof(value));
}

static inline void put32(struct lc_buf *out, uint64_t value)
{
    uint32_t v = (uint32_t)value;

    lc_buf_add(out, &v, sizeof(v));
}

static inline void put64(struct lc_buf *out, uint64_t value)
{
    lc_buf_add(out, &value, sizeof(value));
}

static inline void put_unsigned(struct lc_buf *out, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        put8(out, 0x80 | (value & 0x7f));
    put8(out, (unsigned)value);
}

static inline void put_signed(struct lc_buf *out, int64_t value)
{
    while (value < -64 || value > 63) {
        put8(out, 0x80 | ((unsigned)value & 0x7f));
        value >>= 7;
    }
    put8(out, (unsigned)value & 0x7f);
}

static inline void put_text(struct lc_buf *out, const char *text)
{
    lc_buf_add(out, text, strlen(text) + 1);
}

/* Fill in the 32-bit length of what began at 'start'. */
static inline void close_length(struct lc_buf *out, size_t start)
{
    uint32_t length = (uint32_t)(out->len - start - 4);

    if (!out->failed)
        memcpy(out->data + start, &length, sizeof(length));
}

#endif
