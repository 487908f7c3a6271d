/* SPDX-License-Identifier: MIT */
/* relocation_table.h - give ld.so another relocation table for an object, and be called when ld.so
 * has processed it. Freestanding.
 *
 * After ld.so has mapped an object and before it relocates it, the entries of its .dynamic that
 * describe the relocation tables are changed to a table of our own. The last row of that table is
 * an IRELATIVE relocation, for which ld.so calls a function: one of our thunks. So the thunk runs
 * after all other relocations of that object and before ld.so makes RELRO pages read-only. It
 * restores the entries of .dynamic, so that debuggers and others find the original ones. */
#ifndef LC_CLIENT_BINDINGS_RELOCATION_TABLE_H
#define LC_CLIENT_BINDINGS_RELOCATION_TABLE_H

#include "node/elf_object.h"

/* The entries of an object's .dynamic that were changed, and their original values. */
struct lc_saved_tags {
    ElfW(Dyn) * tag[4]; /* tag[0] is NULL if nothing is changed now */
    ElfW(Xword) value[4];
};

/* How many thunks there are; they are numbered from 0. */
uint32_t lc_thunk_count(void);

/* Make 'row' the last row of a table for this object: ld.so will call lc_thunk_hook(thunk). */
void lc_relocation_table_end(ElfW(Rela) * row, const struct lc_elf_object *o, uint32_t thunk);

/* From now on ld.so sees 'rows' as the object's DT_RELA, the first 'relative' of them as RELATIVE,
 * and, unless 'keeps_plt', no DT_JMPREL rows. */
void lc_relocation_table_install(const struct lc_elf_object *o, const ElfW(Rela) * rows,
                                 size_t count, size_t relative, bool keeps_plt,
                                 struct lc_saved_tags *saved);
void lc_relocation_table_restore(struct lc_saved_tags *saved);

/* Called by a thunk. Each library that installs tables defines its own: a relocation passes no
 * argument, so this is where the process's one instance of a context is known. */
void lc_thunk_hook(uint32_t thunk);

#endif
