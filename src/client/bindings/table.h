/* SPDX-License-Identifier: MIT */
/* table.h - give ld.so another relocation table for an object, and hear when it has worked it off.
 * Freestanding.
 *
 * The tags of .dynamic are edited after ld.so has mapped the object and before it relocates it. The
 * last row of the new table is IRELATIVE and calls a thunk of ours: it runs while ld.so relocates
 * that very object, after all other rows, before RELRO; it puts the tags back, so that whoever
 * reads them later sees the truth. */
#ifndef LC_CLIENT_BINDINGS_TABLE_H
#define LC_CLIENT_BINDINGS_TABLE_H

#include "node/elf_object.h"

/* An object whose tags are edited. */
struct lc_edit {
    ElfW(Dyn) * tag[4];
    ElfW(Xword) was[4];
};

/* The thunks are numbered from 0; this many there are. */
uint32_t lc_thunk_count(void);

/* Make 'row' the last row of a table for this object: it calls lc_thunk_hook(thunk). */
void lc_table_end(ElfW(Rela) * row, const struct lc_bound *o, uint32_t thunk);

/* From now on ld.so sees 'rows' as the object's DT_RELA, the first 'relative' of them as RELATIVE,
 * and no DT_JMPREL rows. */
void lc_table_install(const struct lc_bound *o, const ElfW(Rela) * rows, size_t count,
                      size_t relative, struct lc_edit *edit);
void lc_table_restore(struct lc_edit *edit);

/* Defined by who uses the tables. */
void lc_thunk_hook(uint32_t thunk);

#endif
