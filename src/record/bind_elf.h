/* SPDX-License-Identifier: MIT */
/* bind_elf.h - an object's file: what its relocations ask for, and what it defines
 *
 * The file may be anything: every offset is checked. */
#ifndef LC_RECORD_BIND_ELF_H
#define LC_RECORD_BIND_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/private_pages.h"

struct lc_bind_elf {
    struct lc_private_pages pages; /* what was read of the file; none: not to be used */
    int fd;                        /* while it is opened */
    const Elf64_Phdr *segment;
    size_t segments;
    uint64_t content[2];
    uint64_t dynamic, build; /* as node/elf_object.h */
    uint32_t extent;
    const Elf64_Rela *table, *plt;
    uint32_t table_count, plt_count, relative;
    const Elf64_Sym *symbol;
    size_t symbols; /* at most, by where the next table begins */
    const char *string;
    size_t strings;
    const uint32_t *gnu_hash, *sysv_hash;
    size_t gnu_words, sysv_words; /* to the next table */
    const uint16_t *version;
    const unsigned char *need, *def; /* version tables */
    const char *soname;
    const char **needed; /* DT_NEEDED in order */
    size_t needs;
    bool is_odd;   /* DT_FILTER, DT_AUXILIARY, tables that make no sense */
    bool is_eager; /* linked with -z now */
};

/* 0, or -1 with errno: the file cannot be read or is no 64-bit ELF object. */
int lc_bind_elf_open(struct lc_bind_elf *e, const char *path);
void lc_bind_elf_close(struct lc_bind_elf *e);

const Elf64_Rela *lc_bind_elf_row(const struct lc_bind_elf *e, uint32_t i);

/* The symbol of a row, and its name; NULL if there is none. */
const Elf64_Sym *lc_bind_elf_symbol(const struct lc_bind_elf *e, uint32_t index, const char **name);

/* The next definition of 'name' in the object; start with *at = 0. NULL when there are no more. */
struct lc_bind_name {
    const char *text;
    uint32_t gnu, sysv;
};
struct lc_bind_name lc_bind_name(const char *text);
const Elf64_Sym *lc_bind_elf_next(const struct lc_bind_elf *e, const struct lc_bind_name *name,
                                  uint32_t *at, uint32_t *index);

/* Does a relocation ask for this name? */
bool lc_bind_elf_asks(const struct lc_bind_elf *e, const char *name);

/* The version a symbol asks for (of an undefined one) or has (of a definition); NULL: none. */
const char *lc_bind_elf_version(const struct lc_bind_elf *e, uint32_t index);

#endif
