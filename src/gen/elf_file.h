/* SPDX-License-Identifier: MIT */
/* elf_file.h - an ELF file without segments, written from front to back in large pieces */
#ifndef LC_GEN_ELF_FILE_H
#define LC_GEN_ELF_FILE_H

#include <elf.h>

#include "util/buf.h"
#include "util/error.h"

enum { LC_ELF_FILE_SECTIONS = 24 };

struct lc_elf_section {
    const char *name;
    uint32_t type;
    uint64_t flags, align, entry;
    uint32_t link, info;
    const struct lc_buf
        *content; /* NULL: added by lc_elf_file_add() until lc_elf_file_end_section() */
};

/* The caller closes it, after failures too. */
struct lc_elf_file {
    int fd;
    const char *path; /* borrowed */
    struct lc_buf pending, names;
    uint64_t at;
    Elf64_Shdr section[LC_ELF_FILE_SECTIONS];
    uint16_t sections;
};

/* All return 0, or -1 with err filled. Sections are numbered from 1 in the order of the calls. */
int lc_elf_file_create(struct lc_elf_file *file, const char *path, struct lc_error *err);
int lc_elf_file_section(struct lc_elf_file *file, const struct lc_elf_section *section,
                        struct lc_error *err);
int lc_elf_file_add(struct lc_elf_file *file, const void *data, size_t len, struct lc_error *err);
void lc_elf_file_end_section(struct lc_elf_file *file);
int lc_elf_file_finish(struct lc_elf_file *file, uint16_t type, uint16_t machine,
                       struct lc_error *err);
/* 'rc' is the result of the steps before; returned unless closing fails. */
int lc_elf_file_close(struct lc_elf_file *file, int rc, struct lc_error *err);

/* Add zeros up to a multiple of 'align'. */
int lc_elf_file_align(struct lc_elf_file *file, uint64_t align, struct lc_error *err);
int lc_elf_file_flush(struct lc_elf_file *file, struct lc_error *err);

#endif
