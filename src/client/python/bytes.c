/* SPDX-License-Identifier: MIT */
/* bytes.c - bytecode as it lies in node memory: mapped once (NODE/code), or read from its file */
#include "client/python/seam.h"

#include <linux/fcntl.h>

#include "client/preload/libc.h"
#include "node/syscall.h"

static char *read_staged(const struct lc_node *node, struct lc_room *room,
                         const struct lc_entry *entry, uint64_t size)
{
    const char *path = lc_look_name(&node->look, entry->path);
    char *buffer = NULL;
    uint64_t done = 0;
    long fd = -1, n = 1;

    if (malloc && free &&
        lc_node_staged_path(node, path, entry->path_len, room->staged, sizeof(room->staged)))
        fd = lc_sys_open(room->staged, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        buffer = malloc(size);
    while (buffer && done < size && (n = lc_sys_read((int)fd, buffer + done, size - done)) > 0)
        done += (uint64_t)n;
    if (fd >= 0)
        lc_sys_close((int)fd);
    if (buffer && done < size) {
        free(buffer);
        buffer = NULL;
    }
    return buffer;
}

const char *lc_code_bytes(const struct lc_seam *s, const struct lc_node *node, struct lc_room *room,
                          const struct lc_known *file, void **buffer)
{
    uint32_t inode = node->look.entry[file->entry].inode;
    const char *mapped = lc_code_find(&s->code, inode, file->inode->size);

    *buffer = NULL;
    if (mapped || file->inode->data == LC_NO_CONTENT)
        return mapped;
    return *buffer = read_staged(node, room, &node->look.entry[file->entry], file->inode->size);
}
