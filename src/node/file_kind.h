/* SPDX-License-Identifier: MIT */
/* file_kind.h - find out what kind of program a file is. Freestanding. */
#ifndef LC_NODE_FILE_KIND_H
#define LC_NODE_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>

enum lc_program_kind {
    LC_PROGRAM_DYNAMIC, /* started by glibc's ld.so */
    LC_PROGRAM_STATIC,
    LC_PROGRAM_FOREIGN, /* 32 bits, musl, another architecture: it cannot load our objects */
    LC_PROGRAM_SCRIPT,
    LC_PROGRAM_ODD,
    LC_PROGRAM_NO_DESCRIPTOR, /* no free descriptor to read it with, nor for ld.so to load our
                                 objects */
};

/* "#!interpreter option" */
struct lc_script {
    char line[256]; /* as much as the kernel reads */
    char *interpreter, *option;
};

/* Read the start of a file. 'script' is filled for LC_PROGRAM_SCRIPT. LC_PROGRAM_ODD if the file
 * cannot be read, or only the kernel can decide. */
enum lc_program_kind lc_program_kind(const char *file, struct lc_script *script);
/* As lc_program_kind, with the start of the file in the caller's buffer, aligned for a pointer: for
 * small stacks. */
enum lc_program_kind lc_program_kind_in_buffer(const char *file, struct lc_script *script,
                                               char *head, size_t size);
/* As lc_program_kind, for an open file, whatever its position. */
enum lc_program_kind lc_program_kind_of_fd(int fd, struct lc_script *script);

/* As lc_program_kind; besides, *is_privileged as of lc_program_is_privileged. */
enum lc_program_kind lc_program_kind_and_rights(const char *file, struct lc_script *script,
                                                bool *is_privileged);

/* Set-user-ID, set-group-ID, or with capabilities of its own? ld.so loads none of our objects
 * there. */
bool lc_program_is_privileged(const char *file);

/* Can ld.so load it? Libraries, and programs that can be opened like one. */
static inline bool lc_program_is_object(enum lc_program_kind kind)
{
    return kind == LC_PROGRAM_STATIC || kind == LC_PROGRAM_DYNAMIC;
}

#endif
