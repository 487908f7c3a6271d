/* SPDX-License-Identifier: MIT */
/* bind_elf.h - the dynamic tables of an ELF file: its relocations, its symbols and their versions
 *
 * The file is not trusted: every offset is checked. */
#ifndef LC_RECORD_BIND_ELF_H
#define LC_RECORD_BIND_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/private_pages.h"

struct lc_bind_elf {
    struct lc_private_pages pages; /* what was read of the file; at is NULL if it cannot be used */
    int fd;                        /* open only inside lc_bind_elf_open() */
    const Elf64_Phdr *segment;
    size_t segments;
    uint64_t content[2];     /* XXH3-128 of the whole file */
    uint64_t dynamic, build; /* hashes of the dynamic section and the build ID (elf_object.h) */
    uint32_t extent;         /* highest address that a segment reaches, from the load address */
    const Elf64_Rela *table, *plt; /* DT_RELA, DT_JMPREL */
    uint32_t table_count, plt_count;
    uint32_t relative; /* relative relocations at the begin of 'table' (DT_RELACOUNT) */
    const Elf64_Sym *symbol;
    size_t symbols; /* upper limit, from where the next table begins */
    const char *string;
    size_t strings;
    const uint32_t *gnu_hash, *sysv_hash;
    size_t gnu_words, sysv_words; /* up to where the next table begins */
    const uint16_t *version;
    const unsigned char *need, *def; /* DT_VERNEED, DT_VERDEF */
    const char *soname;
    const char **needed; /* DT_NEEDED in order */
    size_t needs;
    bool is_odd;   /* has DT_FILTER, DT_AUXILIARY or a damaged table: is left to ld.so */
    bool is_eager; /* linked with -z now */
};

/* 0, or -1 with errno: the file cannot be read or is no 64-bit ELF object. */
int lc_bind_elf_open(struct lc_bind_elf *e, const char *path);
void lc_bind_elf_close(struct lc_bind_elf *e);

/* Relocation number i, counted through DT_RELA and then DT_JMPREL. */
const Elf64_Rela *lc_bind_elf_row(const struct lc_bind_elf *e, uint32_t i);

/* Symbol number 'index' and its name; NULL if there is none. */
const Elf64_Sym *lc_bind_elf_symbol(const struct lc_bind_elf *e, uint32_t index, const char **name);

/* A symbol name with its two hash values. */
struct lc_bind_name {
    const char *text;
    uint32_t gnu, sysv;
};
struct lc_bind_name lc_bind_name(const char *text);

/* The next definition of 'name' in the object; start with *at = 0. NULL when there are no more. */
const Elf64_Sym *lc_bind_elf_next(const struct lc_bind_elf *e, const struct lc_bind_name *name,
                                  uint32_t *at, uint32_t *index);

/* Does a relocation refer to an undefined symbol of this name? */
bool lc_bind_elf_imports(const struct lc_bind_elf *e, const char *name);

/* The symbol version: required (undefined symbol) or provided (definition); NULL: none. */
const char *lc_bind_elf_version(const struct lc_bind_elf *e, uint32_t index);

#endif
