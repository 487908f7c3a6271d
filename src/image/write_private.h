/* SPDX-License-Identifier: MIT */
/* write_private.h - shared by write.c and write_content.c */
#ifndef LC_IMAGE_WRITE_PRIVATE_H
#define LC_IMAGE_WRITE_PRIVATE_H

#include "image/image.h"
#include "image/index.h"
#include "image/read_ahead.h"
#include "image/store.h"
#include "image/write.h"
#include "util/temporary.h"

/* State while an image is written. */
struct lc_writing {
    const struct lc_write *how;
    struct lc_written *did;
    struct lc_error *err;
    struct lc_tree *tree;
    struct lc_item *item;
    size_t items;
    struct lc_store store;
    struct lc_read_ahead *ahead; /* NULL: nothing is read ahead */
    struct lc_map inode_home;    /* "dev:ino" -> the entry whose content is stored */
    struct lc_temporary temporary;
};

/* Count and report a path that is not written as asked. */
void lc_writing_skip(struct lc_writing *w, const char *path, const char *why);

/* Fills the error with errno's text for a target that cannot be written. Returns -1. */
int lc_writing_fail(struct lc_writing *w);

/* write_content.c: store an item's content and set its place in the entry. The entry gets kind 0 if
 * the file has been removed meanwhile. 0, or -1 with err filled. */
int lc_writing_store(struct lc_writing *w, const struct lc_item *item);

#endif
