/* SPDX-License-Identifier: MIT */
/* code.c - NODE/code: the bytecode of all Python modules in one file
 *
 * Each process maps it once instead of opening thousands of files. It is copied from the staged
 * files, whose content was verified. */
#include "stage/fill.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* A larger file is taken for data that only has a module's name. */
enum { LARGEST = 16 << 20 };

bool lc_fill_is_code(const struct lc_look *look, uint32_t entry)
{
    static const char suffix[] = ".pyc";
    const struct lc_inode *inode = lc_look_inode(look, entry);
    size_t len = look->entry[entry].path_len, n = sizeof(suffix) - 1;

    return inode && inode->size > 0 && inode->size <= LARGEST && len > n &&
           strcmp(lc_look_name(look, look->entry[entry].path) + len - n, suffix) == 0;
}

static bool inode_is_code(const struct lc_fill *fill, uint32_t inode)
{
    return fill->home[inode] != LC_NONE && lc_fill_is_code(&fill->image->look, fill->home[inode]);
}

/* Decide where each inode's content goes; the length of the file. */
static uint64_t code_lay_out(const struct lc_fill *fill, uint32_t *at)
{
    const struct lc_look *look = &fill->image->look;
    uint64_t end = sizeof(struct lc_code) + look->inodes * sizeof(*at);

    for (uint32_t i = 0; i < look->inodes; i++) {
        at[i] = 0;
        if (!inode_is_code(fill, i))
            continue;
        end = (end + LC_CODE_UNIT - 1) / LC_CODE_UNIT * LC_CODE_UNIT;
        if (end / LC_CODE_UNIT > UINT32_MAX)
            break;
        at[i] = (uint32_t)(end / LC_CODE_UNIT);
        end += look->inode[i].size;
    }
    return end;
}

static int content_copy(const struct lc_fill *fill, uint32_t inode, int to, uint64_t offset)
{
    const struct lc_look *look = &fill->image->look;
    char path[PATH_MAX + sizeof(LC_NODE_FILES)];
    uint64_t left = look->inode[inode].size;

    snprintf(path, sizeof(path), "%s%s", &LC_NODE_FILES[1],
             lc_look_name(look, look->entry[fill->home[inode]].path));
    int from = openat(fill->fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int rc = from < 0 || lseek(to, (off_t)offset, SEEK_SET) < 0 ? -1 : 0;
    while (rc == 0 && left > 0) {
        ssize_t n = sendfile(to, from, NULL, left);
        if (n <= 0)
            rc = (errno = n == 0 ? EIO : errno, -1);
        else
            left -= (uint64_t)n;
    }
    int saved = errno;
    if (from >= 0)
        close(from);
    errno = saved;
    return rc;
}

static int code_write(const struct lc_fill *fill, int fd, uint64_t id, uint32_t *at)
{
    uint32_t inodes = fill->image->look.inodes;
    size_t table = inodes * sizeof(*at);
    struct lc_code head = {.image_id = id, .length = code_lay_out(fill, at), .inodes = inodes};

    memcpy(head.magic, LC_CODE_MAGIC, sizeof(head.magic));
    if (ftruncate(fd, (off_t)head.length) < 0 ||
        pwrite(fd, &head, sizeof(head), 0) != sizeof(head) ||
        pwrite(fd, at, table, sizeof(head)) != (ssize_t)table)
        return -1;
    for (uint32_t i = 0; i < inodes; i++)
        if (at[i] && content_copy(fill, i, fd, (uint64_t)at[i] * LC_CODE_UNIT) < 0)
            return -1;
    return fchmod(fd, 0444);
}

int lc_fill_code(const struct lc_fill *fill, uint64_t index_id)
{
    uint32_t *at = malloc((fill->image->look.inodes + 1u) * sizeof(*at));
    int fd = at ? openat(fill->fd, &LC_NODE_CODE[1],
                         O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)
                : -1;
    int rc = fd < 0 ? -1 : code_write(fill, fd, index_id, at);
    int saved = errno;

    free(at);
    if (fd >= 0 && close(fd) < 0 && rc == 0)
        return -1;
    errno = saved;
    return rc;
}
