/* SPDX-License-Identifier: MIT */
/* file_kind.h - what is in a file that is to be executed? Freestanding. */
#ifndef LC_NODE_FILE_KIND_H
#define LC_NODE_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>

enum lc_program_kind {
    LC_PROGRAM_DYNAMIC, /* glibc's ld.so will start it */
    LC_PROGRAM_STATIC,
    LC_PROGRAM_FOREIGN, /* 32 bits, musl, another machine: our objects would be refused */
    LC_PROGRAM_SCRIPT,
    LC_PROGRAM_ODD,
    LC_PROGRAM_NO_DESCRIPTOR, /* there is none to look at it, nor for ld.so to load our objects */
};

/* "#!interpreter option" */
struct lc_script {
    char line[256]; /* what the kernel reads */
    char *interpreter, *option;
};

/* Read the file's head; 'script' is filled for LC_PROGRAM_SCRIPT. A file that cannot be read, or of
 * which the kernel must judge, is LC_PROGRAM_ODD. */
enum lc_program_kind lc_program_kind(const char *file, struct lc_script *script);
/* The same with the head in the caller's buffer, aligned for a pointer: for small stacks. */
enum lc_program_kind lc_program_kind_by(const char *file, struct lc_script *script, char *head,
                                        size_t size);
/* The same for an open file, wherever it stands. */
enum lc_program_kind lc_program_kind_of(int fd, struct lc_script *script);

/* What ld.so loads: libraries, and programs that may be opened like one. */
static inline bool lc_program_is_object(enum lc_program_kind kind)
{
    return kind == LC_PROGRAM_STATIC || kind == LC_PROGRAM_DYNAMIC;
}

#endif
