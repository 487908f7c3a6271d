/* SPDX-License-Identifier: MIT */
/* bytecode.h - find bytecode of Python modules in NODE/code. Freestanding. */
#ifndef LC_NODE_BYTECODE_H
#define LC_NODE_BYTECODE_H

#include "node/attach.h"

struct lc_code_map {
    const struct lc_code *head; /* NULL: no such file */
    const uint32_t *at;         /* head->inodes elements */
};

/* Map NODE/code, if it exists and belongs to this index. */
void lc_code_open(struct lc_code_map *map, const struct lc_node *node);

/* The content of an inode's bytecode file of 'size' bytes, or NULL. */
const char *lc_code_find(const struct lc_code_map *map, uint32_t inode, uint64_t size);

#endif
