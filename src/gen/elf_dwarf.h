/* SPDX-License-Identifier: MIT */
/* elf_dwarf.h - debug information of one library: DWARF 5, as gcc -g has it
 *
 * Line numbers are those of the source that emit_c.c writes, which --keep-sources keeps. */
#ifndef LC_GEN_ELF_DWARF_H
#define LC_GEN_ELF_DWARF_H

#include "gen/elf_unit.h"

struct lc_dwarf {
    struct lc_buf aranges, info, abbrev, line, str, line_str;
};

/* Make the debug information of a unit whose code is at address 'text' and constants at 'rodata'.
 * 0, or -1 with errno ENOMEM; the caller frees it in either case. */
int lc_dwarf_make(struct lc_dwarf *out, const struct lc_unit *unit, const char *name, uint64_t text,
                  uint64_t rodata);
/* Make only .debug_line. */
void lc_dwarf_lines(struct lc_buf *line, const struct lc_unit *unit, uint64_t text);
void lc_dwarf_free(struct lc_dwarf *dwarf);

#endif
