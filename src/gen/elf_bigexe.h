/* SPDX-License-Identifier: MIT */
/* elf_bigexe.h - pynamic-bigexe's own code, without the assembler */
#ifndef LC_GEN_ELF_BIGEXE_H
#define LC_GEN_ELF_BIGEXE_H

#include "gen/elf_machine.h"
#include "util/error.h"

/* Functions bigexe_0, bigexe_1... of 'steps' instructions each, as programs/bigexe_code.h has them:
 * number i adds i % 100 + 1 by every one. */
struct lc_bigexe {
    const struct lc_machine *machine; /* NULL: the compiler makes them */
    uint32_t functions;
    uint32_t steps;
};

/* Write an object to link the program with; it contains the code only if 'whole'. 0, or -1 with err
 * filled. */
int lc_bigexe_object(const struct lc_bigexe *big, bool whole, const char *path,
                     struct lc_error *err);

/* Write the code into a program that was linked from an object without it. 0; 1 if the linker left
 * no room for it in the file, so that the program must be linked from a whole object; -1 with err
 * filled. */
int lc_bigexe_fill(const struct lc_bigexe *big, const char *program, struct lc_error *err);

#endif
