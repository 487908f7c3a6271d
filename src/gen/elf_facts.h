/* SPDX-License-Identifier: MIT */
/* elf_facts.h - sizes and counts of a shared object or executable, read with libelf */
#ifndef LC_GEN_ELF_FACTS_H
#define LC_GEN_ELF_FACTS_H

#include <stdint.h>

#include "util/error.h"

/* The sections that matter for loading; the rest is counted together. */
enum lc_elf_part {
    LC_ELF_TEXT,   /* .text and the PLT */
    LC_ELF_RODATA, /* .rodata, unwind tables */
    LC_ELF_DATA,   /* .data, .got and kin */
    LC_ELF_DYNSYM, /* .dynsym and its hash tables, versions */
    LC_ELF_DYNSTR,
    LC_ELF_RELOCS, /* .rela.dyn, .rela.plt, .relr.dyn */
    LC_ELF_SYMTAB, /* .symtab and .strtab, not loaded */
    LC_ELF_DEBUG,  /* .debug_*, not loaded */
    LC_ELF_OTHER,  /* headers, notes, padding */
    LC_ELF_PARTS
};

const char *lc_elf_part_name(enum lc_elf_part part);

struct lc_elf_facts {
    uint64_t files;
    uint64_t bytes;
    uint64_t part[LC_ELF_PARTS]; /* bytes by section */
    uint64_t exports;            /* defined global dynamic symbols */
    uint64_t undefined;          /* undefined ones */
    uint64_t relocs;             /* in .rela.dyn */
    uint64_t jump_slots;         /* in .rela.plt */
    uint64_t needed;             /* DT_NEEDED entries */
    uint64_t strtab;             /* bytes of .strtab, which are in part[LC_ELF_SYMTAB] */
};

/* Add one file's facts to 'sum'. 0, or -1 with err filled. */
int lc_elf_facts_add(const char *path, struct lc_elf_facts *sum, struct lc_error *err);

#endif
