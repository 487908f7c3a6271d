/* SPDX-License-Identifier: MIT */
/* emit_elf.h - the model as finished ELF files, without compiler or linker
 *
 * Each function adds a whole file to 'out'. 0, or -1 with errno ENOMEM. */
#ifndef LC_GEN_EMIT_ELF_H
#define LC_GEN_EMIT_ELF_H

#include "gen/elf_machine.h"

/* The machine of this name, as in --arch; NULL if there is none. With NULL as name: the machine
 * that we run on. */
const struct lc_machine *lc_machine_find(const char *name);

/* libmoduleN.so or libutilityN.so. */
int lc_emit_elf_lib(const struct lc_model *model, const struct lc_machine *machine,
                    struct lc_lib lib, bool debug, struct lc_buf *out);

/* libmodulebegin.so, whose DT_NEEDED lists all modules, or libmodulefinal.so. */
int lc_emit_elf_hook(const struct lc_model *model, const struct lc_machine *machine, bool begin,
                     bool debug, struct lc_buf *out);

#endif
