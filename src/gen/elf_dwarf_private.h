/* SPDX-License-Identifier: MIT */
/* elf_dwarf_private.h - what the files that write .debug_info share */
#ifndef LC_GEN_ELF_DWARF_PRIVATE_H
#define LC_GEN_ELF_DWARF_PRIVATE_H

#include "gen/elf_dwarf.h"
#include "gen/elf_dwarf_put.h"

/* Kinds of entries, by number in .debug_abbrev. */
enum lc_dwarf_kind {
    UNIT = 1,
    BASE_TYPE,
    POINTER,
    VOID_POINTER,
    ARRAY,
    BOUND,
    FUNCTION,
    PARAMETER,
    VARIABLE,
    UNUSED, /* a variable without a location */
    RESULT, /* a variable with a long name */
    BLOCK,
    DECLARATION,
    PARAMETER_TYPE
};

/* Types that functions and variables have, and where in .debug_info they are. */
enum lc_dwarf_type {
    INT,
    LONG,
    FLOAT,
    DOUBLE,
    STRING,
    UNSIGNED,
    CHAR,
    SHORT,
    VOIDP,
    CHARS,
    SHORTS,
    TEXT,
    TYPES
};

struct lc_dwarf_maker {
    struct lc_dwarf *out;
    const struct lc_unit *unit;
    uint64_t text, rodata;
    uint32_t type[TYPES];
    uint32_t *result; /* by symbol: where its name with LC_RESULT_SUFFIX is in .debug_str, or 0 */
    bool is_long;     /* more lines than 16 bits count */
};

/* File, line and column of a declaration. A value too large for its form is written as 0: unknown.
 */
void lc_dwarf_place_put(const struct lc_dwarf_maker *m, uint32_t line, size_t column);

/* elf_dwarf_abbrev.c: .debug_abbrev. */
void lc_dwarf_abbreviations(const struct lc_dwarf_maker *m);
/* elf_dwarf_function.c: the entries of all functions, declared and defined. */
void lc_dwarf_functions(struct lc_dwarf_maker *m);

#endif
