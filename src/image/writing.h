/* SPDX-License-Identifier: MIT */
/* writing.h - what write.c and write_content.c share */
#ifndef LC_IMAGE_WRITING_H
#define LC_IMAGE_WRITING_H

#include "image/image.h"
#include "image/index.h"
#include "image/store.h"
#include "image/write.h"
#include "util/temporary.h"

/* Everything one writing needs. */
struct lc_writing {
    const struct lc_write *how;
    struct lc_written *did;
    struct lc_error *err;
    struct lc_tree *tree;
    struct lc_item *item;
    size_t items;
    struct lc_store store;
    struct lc_map inode_home; /* "dev:ino" -> node whose content is stored */
    struct lc_temporary temporary;
};

/* Something is left out: counted and told. */
void lc_writing_skip(struct lc_writing *w, const char *path, const char *why);

/* -1, with the text of errno for a target that cannot be written. */
int lc_writing_fail(struct lc_writing *w);

/* write_content.c: an item's content goes into the store and its place into the item; one that is
 * gone meanwhile gets kind 0. 0, or -1 with err filled. */
int lc_writing_add(struct lc_writing *w, const struct lc_item *item);

#endif
