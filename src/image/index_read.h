/* SPDX-License-Identifier: MIT */
/* index_read.h - the index of an image file, in memory that belongs to this process alone */
#ifndef LC_IMAGE_INDEX_READ_H
#define LC_IMAGE_INDEX_READ_H

#include <stddef.h>

#include "image/look.h"
#include "util/error.h"

/* Private memory with the file's bytes at their offsets, zeros in place of the content. */
struct lc_index_memory {
    unsigned char *at;
    size_t len; /* of the file */
};

enum lc_index_part {
    LC_INDEX_TABLE, /* header and table of contents: enough for lc_look_id */
    LC_INDEX_ALL,
};

/* Read a part of the index, and open it with lc_look_open. 0, or -1 with err filled and errno:
 * EBADMSG when this is no image or it was cut short meanwhile, else why it cannot be read. The
 * caller calls lc_index_forget in any case; 'look' is valid until then. */
int lc_index_read(struct lc_index_memory *memory, int fd, const char *file, enum lc_index_part part,
                  struct lc_look *look, struct lc_error *err);
void lc_index_forget(struct lc_index_memory *memory);

#endif
