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

/* An object to link the program with; without the code unless 'whole'. 0, or -1 with err filled. */
int lc_bigexe_object(const struct lc_bigexe *big, bool whole, const char *path,
                     struct lc_error *err);

/* Put the code into a program linked from an object without it. 0; 1 if the linker left no room for
 * it in the file: then it must be linked from a whole one; -1 with err filled. */
int lc_bigexe_fill(const struct lc_bigexe *big, const char *program, struct lc_error *err);

#endif
