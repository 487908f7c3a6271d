/* SPDX-License-Identifier: MIT */
/* bytecode.c - find bytecode of Python modules in NODE/code. Freestanding. */
#include "node/bytecode.h"

#include "image/bytes.h"

static bool is_whole(const struct lc_code *head, uint64_t size, const struct lc_node *node)
{
    return size >= sizeof(*head) && lc_bytes_equal((const char *)head->magic, LC_CODE_MAGIC, 8) &&
           head->image_id == lc_look_id(&node->look) && head->length == size &&
           head->inodes <= (size - sizeof(*head)) / sizeof(uint32_t);
}

void lc_code_open(struct lc_code_map *map, const struct lc_node *node)
{
    uint64_t size = 0;
    const struct lc_code *head = lc_node_map(node, LC_NODE_CODE, &size);

    if (head && is_whole(head, size, node))
        *map = (struct lc_code_map){head, (const uint32_t *)(head + 1)};
    else
        lc_node_unmap(head, size);
}

const char *lc_code_find(const struct lc_code_map *map, uint32_t inode, uint64_t size)
{
    if (!map->head || inode >= map->head->inodes || !map->at[inode])
        return NULL;
    uint64_t offset = (uint64_t)map->at[inode] * LC_CODE_UNIT;
    return offset <= map->head->length && size <= map->head->length - offset
               ? (const char *)map->head + offset
               : NULL;
}
