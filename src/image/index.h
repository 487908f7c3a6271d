/* SPDX-License-Identifier: MIT */
/* index.h - build the sections of an image's index in memory, and write them */
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
    struct lc_buf learnt;          /* uint16_t for each entry */
    bool has_learnt;               /* one of them is not 0 */
    const struct lc_buf *bindings; /* the tree's */
    struct lc_map path_at;         /* path -> entry + 1 */
    struct lc_map name_at;         /* name in a listing or table -> offset in the names + 1 */
    struct lc_map inode_at;        /* "dev:ino" -> inode + 1 */
};

/* A path with its entry in the tree. */
struct lc_item {
    const char *path;
    struct lc_tree_entry *node;
};

/* Build from items that are sorted by path and whose stat is final. 0, or -1 with errno: ENOMEM, or
 * EFBIG when a table would be too large. */
int lc_index_build(struct lc_index *index, const struct lc_tree *tree, const struct lc_item *item,
                   size_t count);
int lc_index_set_base(struct lc_index *index, uint64_t id, const char *path);
void lc_index_free(struct lc_index *index);

/* Write the sections, the table of contents and the header to 'fd'. The content section of
 * 'content_len' bytes must already be there, at offset LC_IMAGE_PAGE (unless 'flags' has
 * LC_HEADER_INDEX_ONLY). *end becomes the file's length, *id the image's identity. 0, or -1 with
 * errno. */
int lc_index_write(const struct lc_index *index, int fd, uint64_t content_len, uint32_t flags,
                   const char *provenance, uint64_t *end, uint64_t *id);

/* Write an index without content, as lc_image_save_index does. 'content' (may be NULL) says where
 * the content lies in another file. The provenance has 'len' bytes, or is NULL. 0, or -1 with
 * errno. */
int lc_index_write_alone(const struct lc_index *index, int fd, const struct lc_section *content,
                         const char *provenance, size_t len);

#endif
