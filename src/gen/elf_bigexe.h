/* SPDX-License-Identifier: MIT */
/* elf_bigexe.h - pynamic-bigexe's own code as an object, without the assembler */
#ifndef LC_GEN_ELF_BIGEXE_H
#define LC_GEN_ELF_BIGEXE_H

#include "gen/elf_machine.h"
#include "util/error.h"

/* Functions bigexe_0, bigexe_1... of 'steps' instructions each, as programs/bigexe_code.h has them.
 * 0, or -1 with err filled. */
int lc_elf_bigexe(const struct lc_machine *machine, uint32_t functions, uint32_t steps,
                  const char *path, struct lc_error *err);

#endif
