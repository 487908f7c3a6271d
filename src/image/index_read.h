/* SPDX-License-Identifier: MIT */
/* index_read.h - read the index of an image file into private memory */
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
 * EBADMSG if the file is not an image or was truncated meanwhile, else the reason why it cannot be
 * read. The caller frees the pages in both cases; 'look' is valid until then. */
int lc_index_read(struct lc_private_pages *memory, int fd, const char *file,
                  enum lc_index_part part, struct lc_look *look, struct lc_error *err);

#endif
