/* SPDX-License-Identifier: MIT */
/* index_read.h - the index of an image file, in memory that belongs to this process alone */
#ifndef LC_IMAGE_INDEX_READ_H
#define LC_IMAGE_INDEX_READ_H

#include "image/look.h"
#include "util/error.h"
#include "util/private_pages.h"

enum lc_index_part {
    LC_INDEX_TABLE, /* header and table of contents: enough for lc_look_id */
    LC_INDEX_ALL,
};

/* Read a part of the index, and open it with lc_look_open. 0, or -1 with err filled and errno:
 * EBADMSG when this is no image or it was cut short meanwhile, else why it cannot be read. The
 * caller frees the pages in any case; 'look' is valid until then. */
int lc_index_read(struct lc_private_pages *memory, int fd, const char *file,
                  enum lc_index_part part, struct lc_look *look, struct lc_error *err);

#endif
