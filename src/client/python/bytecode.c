/* SPDX-License-Identifier: MIT */
/* bytecode.c - the content of a bytecode file: from the mapping of NODE/code, or read from its
 * staged file */
#include "client/python/seam.h"

#include <linux/fcntl.h>

#include "client/preload/libc.h"
#include "node/syscall.h"

static char *staged_file_read(const struct lc_node *node, struct lc_scratch *scratch,
                              const struct lc_entry *entry, uint64_t size)
{
    const char *path = lc_look_name(&node->look, entry->path);
    char *buffer = NULL;
    uint64_t done = 0;
    long fd = -1, n = 1;

    if (malloc && free &&
        lc_node_staged_path(node, path, entry->path_len, scratch->staged, sizeof(scratch->staged)))
        fd = lc_sys_open(scratch->staged, O_RDONLY | O_CLOEXEC);
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

const char *lc_code_bytes(const struct lc_seam *s, const struct lc_node *node,
                          struct lc_scratch *scratch, const struct lc_path_info *file,
                          void **buffer)
{
    uint32_t inode = node->look.entry[file->entry].inode;
    const char *mapped = lc_code_find(&s->code, inode, file->inode->size);

    *buffer = NULL;
    if (mapped || file->inode->data == LC_NO_CONTENT)
        return mapped;
    return *buffer =
               staged_file_read(node, scratch, &node->look.entry[file->entry], file->inode->size);
}
