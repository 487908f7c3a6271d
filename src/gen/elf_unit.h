/* SPDX-License-Identifier: MIT */
/* elf_unit.h - one library as machine code, constants and symbols that have no addresses yet
 *
 * Made from the model by lc_unit_lib() or lc_unit_hook(), with the instructions of one machine
 * (elf_machine.h); turned into a file by elf_shared.c or elf_static.c. */
#ifndef LC_GEN_ELF_UNIT_H
#define LC_GEN_ELF_UNIT_H

#include <string.h>

#include "gen/model.h"
#include "util/buf.h"

struct lc_machine;

enum { LC_NONE = UINT32_MAX, LC_ARRAY_BYTES = 40 }; /* of each array in a function */

/* Undefined symbols of every library, as from the compiler's start files. */
enum lc_start_symbol {
    LC_START_FINALIZE,   /* __cxa_finalize */
    LC_START_REGISTER,   /* _ITM_registerTMCloneTable */
    LC_START_DEREGISTER, /* _ITM_deregisterTMCloneTable */
    LC_START_GMON,       /* __gmon_start__ */
    LC_START_SYMBOLS
};

struct lc_elf_symbol {
    uint32_t name, length;         /* in names */
    uint32_t value, size;          /* in text; size 0: not defined here */
    uint32_t slot;                 /* in the procedure linkage table; LC_NONE: never called */
    uint32_t lib, function;        /* of an import: whose, which; LC_NONE: its extern function */
    uint32_t loop, next;           /* of a function here: the symbols it calls, or LC_NONE */
    uint32_t loop_start, loop_end; /* where it calls the first of them, in text */
    uint32_t line;                 /* where the C source defines or declares it; 0: nowhere */
    bool weak;
    bool libc; /* of libc: has a version */
};

enum lc_ref_kind {
    LC_REF_CALL,   /* symbol 'target' */
    LC_REF_RODATA, /* offset 'target' in rodata, and so on */
    LC_REF_DATA,
    LC_REF_BSS,
    LC_REF_GOT, /* slot of start symbol 'target' */
};

/* An instruction in 'text' (or in 'init') that names an address. */
struct lc_ref {
    uint32_t place;
    uint32_t target;
    enum lc_ref_kind kind;
};

/* Code from 'place' on belongs to a line of the C source, and to a statement at a column there. */
struct lc_line_row {
    uint32_t place, line, column;
};

/* The columns at which statements stand in the C source. */
enum lc_column {
    LC_COLUMN_EDGE = 1, /* the braces of a function */
    LC_COLUMN_BODY = 5,
    LC_COLUMN_LOOP = 9,
    LC_COLUMN_FIRST = 10, /* in "for (i = 0; i < 10; i++)" */
    LC_COLUMN_TEST = 17,
    LC_COLUMN_STEP = 25,
};

/* How a function keeps its stack, for unwinding. */
enum lc_frame_shape {
    LC_FRAME_FULL,  /* room for variables, and a register that outlives calls */
    LC_FRAME_PLAIN, /* room for variables */
    LC_FRAME_SMALL,
    LC_FRAME_LEAF
};

struct lc_frame {
    uint32_t start, size;
    enum lc_frame_shape shape;
};

/* A pointer in 'data' to be relocated. */
enum lc_pointer_kind { LC_POINTER_RODATA, LC_POINTER_DATA, LC_POINTER_SYMBOL };

struct lc_pointer {
    uint32_t place; /* in data */
    uint32_t target;
    enum lc_pointer_kind kind;
};

enum { LC_MOST_POINTERS = 5 };

struct lc_unit {
    const struct lc_model *model;
    const struct lc_machine *machine;
    const char *name; /* libmodule0 */
    struct lc_lib lib;
    struct lc_buf text, init, fini, rodata, data, names;
    struct lc_elf_symbol *symbol; /* own first, then start symbols, then imports */
    struct lc_ref *ref;
    struct lc_frame *frame;
    uint32_t symbols, own, refs, init_refs, frames; /* init_refs: of refs, the first, in 'init' */
    uint32_t start;                                 /* number of the first start symbol */
    uint32_t dtors, dummy;                          /* start functions in text */
    struct lc_pointer pointer[LC_MOST_POINTERS];
    uint32_t pointers;
    uint32_t definition;                   /* of the Python module, in data */
    uint32_t stored[LC_STORES][LC_STORED]; /* where these reals are in rodata; 0: not yet */
    uint32_t *import;                      /* hash table of symbol numbers */
    uint64_t *import_key;
    uint32_t import_mask;
    uint32_t puts, py_long, py_init; /* symbol numbers, or LC_NONE */
    struct lc_buf lines;             /* struct lc_line_row, if has_lines */
    uint32_t line;      /* of the source, counted from the first function's heading until done */
    uint32_t declared;  /* declarations ahead of the functions */
    uint32_t last_line; /* of the source */
    uint32_t loop_start, loop_end; /* in text: the body of the last function's loop */
    bool has_lines;
    bool is_static; /* no start functions; constants travel in text */
    bool failed;    /* an allocation failed */
};

enum lc_unit_kind {
    LC_UNIT_SHARED,
    LC_UNIT_STATIC, /* no start functions; constants travel in text */
    LC_UNIT_DEBUG,  /* shared, with line numbers */
};

/* Make the unit of a library. 'unit' needs no initialisation; the caller frees it with
 * lc_unit_free() in either case. 0, or -1 with errno ENOMEM. */
int lc_unit_lib(struct lc_unit *unit, const struct lc_machine *machine,
                const struct lc_model *model, struct lc_lib lib, enum lc_unit_kind kind);
/* Make the unit of libmodulebegin or libmodulefinal. */
int lc_unit_hook(struct lc_unit *unit, const struct lc_machine *machine,
                 const struct lc_model *model, const char *module, const char *method,
                 enum lc_unit_kind kind);
void lc_unit_free(struct lc_unit *unit);

/* Add bytes to the code. Inline because it is called ten million times. */
static inline void lc_unit_put(struct lc_unit *unit, const void *bytes, size_t len)
{
    struct lc_buf *text = &unit->text;

    if (text->failed || text->cap - text->len <= len) {
        lc_buf_add(text, bytes, len);
        return;
    }
    memcpy(text->data + text->len, bytes, len);
    text->len += len;
}

/* Record that the instruction at 'place' refers to an address. */
void lc_unit_ref(struct lc_unit *unit, enum lc_ref_kind kind, size_t place, uint32_t target);
/* Record that a statement begins, 'by' lines after the last one. */
void lc_unit_line(struct lc_unit *unit, int by, enum lc_column column);
/* The number of the symbol a call goes to. */
uint32_t lc_unit_target(struct lc_unit *unit, const struct lc_model_call *call);
/* Add a constant to rodata. Returns its offset. */
uint32_t lc_unit_constant(struct lc_unit *unit, const void *bytes, size_t size);
/* Add a float or double, given in eighths, to rodata. Returns its offset. */
uint32_t lc_unit_real(struct lc_unit *unit, enum lc_type type, lc_literal eighths);
/* The offset in rodata of a function's real[number], a float (0) or double (1); added only once. */
uint32_t lc_unit_stored(struct lc_unit *unit, int number, lc_literal eighths);

#endif
