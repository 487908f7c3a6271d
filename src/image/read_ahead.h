/* SPDX-License-Identifier: MIT */
/* read_ahead.h - read the files of an image by threads, while those before them are written */
#ifndef LC_IMAGE_READ_AHEAD_H
#define LC_IMAGE_READ_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "image/index.h"

/* One file that was read whole. */
struct lc_file_read {
    char *bytes;
    uint64_t hash[2];   /* of st.st_size bytes */
    struct stat before; /* when it was opened */
    bool is_fresh;      /* it changed just before it was read: see LC_INODE_FRESH */
};

struct lc_read_ahead;

/* Prepare to read what will be stored of these items, in their order. NULL: no memory; then
 * everything is read when it is needed. Paths are borrowed. */
struct lc_read_ahead *lc_read_ahead_begin(const struct lc_item *item, size_t items);

/* Opening a file took so long. Threads are started when the file system shows to be slow: where it
 * is not, they cost more than they save. */
void lc_read_ahead_note(struct lc_read_ahead *all, uint64_t opened_ns);

/* The file of item number 'i', to be asked for in rising order. True with *out filled, whose bytes
 * the caller frees. False: read it yourself; it was not begun, is too large to be held in memory,
 * or something is odd about it. */
bool lc_read_ahead_take(struct lc_read_ahead *all, size_t i, struct lc_file_read *out);

void lc_read_ahead_end(struct lc_read_ahead *all);

#endif
