/* SPDX-License-Identifier: MIT */
/* elf_dwarf.c - debug information of one library: the unit, its types, address ranges */
#include "gen/elf_dwarf.h"

#include <stdlib.h>

#include "config.h"
#include "gen/elf_dwarf_private.h"
#include "gen/elf_machine.h"

static void base_type_add(struct lc_dwarf_maker *m, enum lc_dwarf_type type, unsigned bytes,
                          unsigned encoding, const char *name)
{
    struct lc_buf *info = &m->out->info;

    m->type[type] = (uint32_t)info->len;
    put8(info, BASE_TYPE);
    put8(info, bytes);
    put8(info, encoding);
    put_text(info, name);
}

static void array_type_add(struct lc_dwarf_maker *m, enum lc_dwarf_type type, enum lc_dwarf_type of,
                           unsigned last)
{
    struct lc_buf *info = &m->out->info;

    m->type[type] = (uint32_t)info->len;
    put8(info, ARRAY);
    put32(info, m->type[of]);
    put8(info, BOUND);
    put32(info, m->type[LONG]);
    put8(info, last);
    put8(info, 0);
}

static void types_add(struct lc_dwarf_maker *m)
{
    struct lc_buf *info = &m->out->info;

    base_type_add(m, INT, 4, DW_ATE_signed, "int");
    base_type_add(m, UNSIGNED, 4, DW_ATE_unsigned, "unsigned int");
    base_type_add(m, LONG, 8, DW_ATE_signed, "long int");
    base_type_add(m, FLOAT, 4, DW_ATE_float, "float");
    base_type_add(m, DOUBLE, 8, DW_ATE_float, "double");
    base_type_add(m, CHAR, 1, DW_ATE_signed_char, "char");
    base_type_add(m, SHORT, 2, DW_ATE_signed, "short int");
    m->type[STRING] = (uint32_t)info->len;
    put8(info, POINTER);
    put8(info, 8);
    put32(info, m->type[CHAR]);
    m->type[VOIDP] = (uint32_t)info->len;
    put8(info, VOID_POINTER);
    put8(info, 8);
    array_type_add(m, CHARS, CHAR, 39);
    array_type_add(m, SHORTS, SHORT, 19);
    array_type_add(m, TEXT, CHAR, LC_TEXT_LEN);
}

void lc_dwarf_place_put(const struct lc_dwarf_maker *m, uint32_t line, size_t column)
{
    struct lc_buf *info = &m->out->info;

    if (m->is_long)
        put32(info, line);
    else
        put16(info, (uint16_t)line);
    put8(info, column > 255 ? 0 : (unsigned)column);
}

/* The characters that strings point into. */
static void text_add(struct lc_dwarf_maker *m)
{
    struct lc_buf *info = &m->out->info;

    if (m->unit->lib.index == UINT32_MAX)
        return; /* the source of a hook module has no such array */
    put8(info, VARIABLE);
    put_text(info, "text");
    lc_dwarf_place_put(m, 2, 19);
    put32(info, m->type[TEXT]);
    put8(info, 9);
    put8(info, DW_OP_addr);
    put64(info, m->rodata);
}

static void info_add(struct lc_dwarf_maker *m, uint32_t producer)
{
    const struct lc_unit *u = m->unit;
    struct lc_buf *info = &m->out->info;

    put32(info, 0);
    put16(info, 5);
    put8(info, DW_UT_compile);
    put8(info, 8);
    put32(info, 0);
    put8(info, UNIT);
    put32(info, producer);
    put8(info, DW_LANG_C11);
    put32(info, 2); /* behind "." in .debug_line_str */
    put32(info, 0);
    put64(info, m->text + u->symbol[0].value);
    put64(info, u->text.len - u->symbol[0].value);
    put32(info, 0);
    types_add(m);
    text_add(m);
    lc_dwarf_functions(m);
    put8(info, 0);
    close_length(info, 0);
}

static void aranges_add(struct lc_dwarf_maker *m)
{
    struct lc_buf *out = &m->out->aranges;

    put32(out, 44);
    put16(out, 2);
    put32(out, 0);
    put8(out, 8);
    put8(out, 0);
    put32(out, 0);
    put64(out, m->text + m->unit->symbol[0].value);
    put64(out, m->unit->text.len - m->unit->symbol[0].value);
    put64(out, 0);
    put64(out, 0);
}

int lc_dwarf_make(struct lc_dwarf *out, const struct lc_unit *unit, const char *name, uint64_t text,
                  uint64_t rodata)
{
    struct lc_dwarf_maker m = {.out = out,
                               .unit = unit,
                               .text = text,
                               .rodata = rodata,
                               .is_long = unit->last_line > UINT16_MAX};

    *out = (struct lc_dwarf){0};
    lc_buf_add(&out->str, unit->names.data, unit->names.len);
    uint32_t producer = (uint32_t)out->str.len;
    put_text(&out->str, "loadcast gen " LC_VERSION);
    lc_buf_add(&out->line_str, ".", 2);
    lc_buf_printf(&out->line_str, "%s.c", name);
    lc_buf_putc(&out->line_str, '\0');
    m.result = calloc(unit->symbols, sizeof(*m.result));
    if (!m.result)
        return -1;
    lc_dwarf_abbreviations(&m);
    info_add(&m, producer);
    lc_dwarf_lines(&out->line, unit, text);
    aranges_add(&m);
    free(m.result);
    return out->info.failed | out->line.failed | out->str.failed | out->abbrev.failed |
                   out->line_str.failed | out->aranges.failed
               ? -1
               : 0;
}

void lc_dwarf_free(struct lc_dwarf *d)
{
    struct lc_buf *all[] = {&d->aranges, &d->info, &d->abbrev, &d->line, &d->str, &d->line_str};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        lc_buf_free(all[i]);
}
