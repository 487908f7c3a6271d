/* SPDX-License-Identifier: MIT */
/* elf_program.h - an executable that gen completes after linking
 *
 * What would take the linker most time is added to the file afterwards: the names of a million
 * functions (elf_names.c), and code without relocations (elf_bigexe.c). */
#ifndef LC_GEN_ELF_PROGRAM_H
#define LC_GEN_ELF_PROGRAM_H

#include <elf.h>
#include <stdbool.h>

#include "util/buf.h"
#include "util/error.h"

/* The pointers lead into 'sections'; NULL: there is none. */
struct lc_elf_program {
    int fd;
    const char *path; /* borrowed */
    uint64_t bytes;   /* of the file as it was opened */
    Elf64_Ehdr head;
    struct lc_buf sections, symtab, strtab, names;
    Elf64_Shdr *symbols, *strings, *section_names;
};

/* 0, or -1 with err filled; the caller closes it in either case. */
int lc_elf_program_open(struct lc_elf_program *p, const char *path, struct lc_error *err);
/* 'rc' is the result of the steps before; returned unless closing fails. */
int lc_elf_program_close(struct lc_elf_program *p, int rc, struct lc_error *err);

const Elf64_Sym *lc_elf_program_symbol(const struct lc_elf_program *p, const char *name);

/* File offset of a symbol; 0 if it has no bytes in the file. */
uint64_t lc_elf_program_place(const struct lc_elf_program *p, const Elf64_Sym *symbol);

int lc_elf_program_write(const struct lc_elf_program *p, const void *data, size_t len, uint64_t at,
                         struct lc_error *err);

/* Write the build-id: a hash of the file up to 'end', with the digest of 'hole' in place of that
 * part. Does nothing if the linker left no room for a build-id. */
struct lc_elf_program_part {
    uint64_t at, bytes, digest;
};
int lc_elf_program_stamp(const struct lc_elf_program *p, uint64_t end,
                         const struct lc_elf_program_part *hole, struct lc_error *err);

#endif
