/* SPDX-License-Identifier: MIT */
/* index.h - the index sections while they are built */
#ifndef LC_IMAGE_INDEX_H
#define LC_IMAGE_INDEX_H

#include <stdint.h>

#include "image/format.h"
#include "image/tree.h"
#include "util/buf.h"
#include "util/map.h"

struct lc_index {
    struct lc_buf entries, slots, inodes, dirents, order, names, mounts;
    struct lc_buf search, search_slots, search_keys, base;
    const struct lc_buf *bindings; /* the tree's */
    struct lc_map path_at;         /* path -> entry + 1 */
    struct lc_map name_at;         /* name in a listing or table -> offset in the names + 1 */
    struct lc_map inode_at;        /* "dev:ino" -> inode + 1 */
};

/* A path with its node. */
struct lc_item {
    const char *path;
    struct lc_tree_entry *node;
};

/* Build from items sorted by path, whose nodes' stat is final. 'inode' is the finished inode of
 * each item's node. 0, or -1 with errno: ENOMEM, or EFBIG when a table would be too large. */
int lc_index_build(struct lc_index *index, const struct lc_tree *tree, const struct lc_item *item,
                   size_t count);
int lc_index_set_base(struct lc_index *index, uint64_t id, const char *path);
void lc_index_free(struct lc_index *index);

/* Write the sections, the table of contents and the header to 'fd': the content section of
 * 'content_len' bytes stands at LC_IMAGE_PAGE already ('flags' may say that it does not). 0, or -1
 * with errno. *end is the file's length, *id the image's identity. */
int lc_index_write(const struct lc_index *index, int fd, uint64_t content_len, uint32_t flags,
                   const char *provenance, uint64_t *end, uint64_t *id);

/* The same without content, as lc_image_save_index: 'content' (may be NULL) says where that lies in
 * another file. The provenance has 'len' bytes, or is NULL. 0, or -1 with errno. */
int lc_index_write_alone(const struct lc_index *index, int fd, const struct lc_section *content,
                         const char *provenance, size_t len);

#endif
