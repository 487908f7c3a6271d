/* SPDX-License-Identifier: MIT */
/* elf_dwarf_line.c - which line of the source each instruction belongs to */
#include "gen/elf_dwarf.h"
#include "gen/elf_dwarf_put.h"
#include "gen/elf_machine.h"

enum { LINE_BASE = -5, LINE_RANGE = 14, OPCODE_BASE = 13 };

/* Directory and file tables: one directory, and the file twice, as DWARF 5 requires. */
static void line_head_add(struct lc_buf *line, const struct lc_unit *u)
{
    static const char arguments[OPCODE_BASE - 1] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};

    put32(line, 0);
    put16(line, 5);
    put8(line, 8);
    put8(line, 0);
    put32(line, 0);
    size_t rest = line->len;
    put8(line, u->machine->code_align);
    put8(line, 1);
    put8(line, 1);
    put8(line, (unsigned)LINE_BASE & 0xff);
    put8(line, LINE_RANGE);
    put8(line, OPCODE_BASE);
    lc_buf_add(line, arguments, sizeof(arguments));
    lc_buf_add(line, (char[]){1, DW_LNCT_path, DW_FORM_line_strp, 1}, 4);
    put32(line, 0);
    lc_buf_add(
        line,
        (char[]){2, DW_LNCT_path, DW_FORM_line_strp, DW_LNCT_directory_index, DW_FORM_udata, 2}, 6);
    for (int i = 0; i < 2; i++) {
        put32(line, 2);
        put8(line, 0);
    }
    close_length(line, rest - 4);
}

/* One row of the line table: advances address and line. As in gcc's output the column is set before
 * every row. */
static void row_add(struct lc_buf *line, uint32_t address, int64_t by, unsigned column)
{
    put8(line, DW_LNS_set_column);
    put_unsigned(line, column);
    if (by < LINE_BASE || by >= LINE_BASE + LINE_RANGE) {
        put8(line, DW_LNS_advance_line);
        put_signed(line, by);
        by = 0;
    }
    int64_t special = by - LINE_BASE + (int64_t)address * LINE_RANGE + OPCODE_BASE;
    if (special > 255) {
        put8(line, DW_LNS_advance_pc);
        put_unsigned(line, address);
        special = by - LINE_BASE + OPCODE_BASE;
    }
    put8(line, (unsigned)special);
}

void lc_dwarf_lines(struct lc_buf *line, const struct lc_unit *u, uint64_t text)
{
    const struct lc_line_row *row = (const struct lc_line_row *)u->lines.data;
    size_t rows = u->lines.len / sizeof(*row);
    uint32_t at = 1, address = u->symbol[0].value, unit = u->machine->code_align;

    line_head_add(line, u);
    lc_buf_add(line, (char[]){0, 9, DW_LNE_set_address}, 3);
    put64(line, text + address);
    for (size_t i = 0; i < rows; i++) {
        row_add(line, (row[i].place - address) / unit, (int64_t)row[i].line - at, row[i].column);
        at = row[i].line;
        address = row[i].place;
    }
    put8(line, DW_LNS_advance_pc);
    put_unsigned(line, (u->text.len - address) / unit);
    lc_buf_add(line, (char[]){0, 1, DW_LNE_end_sequence}, 3);
    close_length(line, 0);
}
