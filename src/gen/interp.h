/* SPDX-License-Identifier: MIT */
/* interp.h - interpret the model: what the workload must compute and contain, without compiling it
 */
#ifndef LC_GEN_INTERP_H
#define LC_GEN_INTERP_H

#include "gen/model.h"

/* The value that a module's entry returns. */
uint32_t lc_interp_entry(const struct lc_model *model, uint32_t module);

/* value() of one call (see struct lc_function). */
uint32_t lc_interp_call(const struct lc_model *model, const struct lc_model_call *call);

/* What a library's symbol table must hold: the generated part, without what the compiler's start
 * files and libc add. */
struct lc_structure {
    uint32_t functions;  /* numbered functions */
    uint32_t exports;    /* all global functions, PyInit and entries included */
    uint32_t imports;    /* distinct functions of other generated libraries */
    uint32_t jump_slots; /* distinct functions called, own and imported, Python's two and puts
                            included */
    uint32_t needed;     /* generated libraries in DT_NEEDED */
};

/* 0, or -1 with errno ENOMEM. */
int lc_model_structure(const struct lc_model *model, struct lc_lib lib, struct lc_structure *out);

#endif
