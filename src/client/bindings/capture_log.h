/* SPDX-License-Identifier: MIT */
/* capture_log.h - the file in which a process of the pilot writes what ld.so bound. Freestanding.
 *
 * The format is in node/bindings_log.h. All records except values are also kept in memory: a child
 * of fork gets a file of its own, which must begin with them. */
#ifndef LC_CLIENT_BINDINGS_CAPTURE_LOG_H
#define LC_CLIENT_BINDINGS_CAPTURE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/elf_object.h"

enum { LC_CAPTURE_VALUES = 4096 };

struct lc_capture_log {
    char *records; /* all but values */
    size_t len, written;
    char dir[4096], file[4200];
    long pid;                          /* whose file it is */
    bool is_full;                      /* or has failed: nothing more is written */
    uint64_t value[LC_CAPTURE_VALUES]; /* a buffer for writing */
};

/* Make the file in log->dir. False if that fails. */
bool lc_capture_log_begin(struct lc_capture_log *log);

/* Add a record: 'len' bytes of body, then the texts a and b with their NULs unless NULL. It is
 * written to the file by the next flush. */
void lc_capture_log_add(struct lc_capture_log *log, uint32_t type, const void *body, size_t len,
                        const char *a, const char *b);
void lc_capture_log_flush(struct lc_capture_log *log);

/* Write the values that the first 'rows' relocation slots of object 'number' have now, without the
 * RELATIVE ones at the start. */
void lc_capture_log_values(struct lc_capture_log *log, uint32_t number,
                           const struct lc_elf_object *o, uint32_t rows);

/* Anonymous memory, NULL if there is none. */
void *lc_capture_map(size_t size);

#endif
