/* SPDX-License-Identifier: MIT */
/* elf_machine.h - the interface of an architecture to the ELF emitter; one implementation per file
 */
#ifndef LC_GEN_ELF_MACHINE_H
#define LC_GEN_ELF_MACHINE_H

#include "gen/elf_unit.h"

struct lc_machine {
    const char *name;         /* its name in --arch */
    const char *triplet;      /* of its cross tools */
    const char *libc_version; /* the oldest symbol version of its glibc */
    const char *code_mark;    /* mapping symbol at the start of code; NULL: none */
    uint16_t elf_machine;     /* EM_... */
    uint32_t page;            /* alignment of segments, as by its linker */
    bool code_apart;          /* code in a segment of its own, no data in it */
    bool got_head;            /* .got begins with the address of .dynamic */
    uint32_t relative, glob_dat, jump_slot, absolute; /* R_... */
    uint32_t call, pc32; /* R_... in relocatable objects: a call, a distance */
    int32_t call_addend;
    double reach;                              /* of a direct call, in bytes */
    uint32_t plt_head, plt_entry, plt_entsize; /* bytes; plt_entsize as by its linker */
    uint32_t code_align;

    /* Where a function's variables are, from its CFA; arguments in steps. */
    int debug_h, debug_i, debug_f, debug_d, debug_args, debug_step;
    int debug_loop, debug_next; /* results of calls */
    int debug_arrays;           /* the first of six, one behind the other */
    int debug_visit_h;

    /* Code. Each adds one function to unit->text. */
    void (*function)(struct lc_unit *unit, const struct lc_function *f, uint32_t printed);
    void (*outer)(struct lc_unit *unit, uint32_t start); /* ..._extern */
    void (*visit)(struct lc_unit *unit);
    void (*entry)(struct lc_unit *unit, uint32_t visit); /* py_..., calls 'visit' if not LC_NONE */
    void (*init)(struct lc_unit *unit);                  /* PyInit_... */
    void (*big)(struct lc_buf *out, uint32_t steps, uint32_t add); /* see programs/bigexe_code.h */
    void (*start)(struct lc_unit *unit); /* start functions, .init and .fini */

    /* Called when addresses are known. */
    void (*plt)(uint8_t *out, uint64_t plt, uint64_t got_plt, uint32_t slots);
    uint64_t (*lazy)(uint64_t plt, uint32_t slot); /* the value of a slot before it is bound */
    void (*fix)(uint8_t *place, uint64_t from, uint64_t to, enum lc_ref_kind kind);

    /* In a relocatable object: the instruction at 'place' names symbol + addend. */
    void (*relocate)(struct lc_buf *out, uint64_t place, uint32_t symbol, int64_t addend);

    /* Unwinding: the CIE's instructions, a function's, the PLT's (NULL: it needs none). */
    uint8_t cie_code_align, cie_data_align, cie_return;
    void (*cie)(struct lc_buf *out);
    void (*cfi)(struct lc_buf *out, const struct lc_frame *frame);
    void (*cfi_plt)(struct lc_buf *out);
};

/* For the cfi functions: add literal unwind instructions (LC_CFI), or one that advances by so many
 * units of cie_code_align (elf_frame.c). */
#define LC_CFI(out, bytes) lc_buf_add(out, bytes, sizeof(bytes) - 1)
void lc_frame_advance(struct lc_buf *out, uint32_t by);

extern const struct lc_machine lc_machine_x86_64, lc_machine_aarch64;

#endif
