/* SPDX-License-Identifier: MIT */
/* difference.h - how a file differs from its recorded inode */
#ifndef LC_RECORD_DIFFERENCE_H
#define LC_RECORD_DIFFERENCE_H

#include <sys/stat.h>

#include "image/format.h"
#include "util/buf.h"

enum lc_difference {
    LC_DIFFERS_KIND = 1,
    LC_DIFFERS_SIZE = 2,
    LC_DIFFERS_MTIME = 4,
    LC_DIFFERS_MODE = 8,
    LC_DIFFERS_OWNER = 16,
    LC_DIFFERS_CONTENT = 32,
    LC_DIFFERS_TARGET = 64,
    LC_DIFFERS_INODE = 128,
    LC_DIFFERS_CTIME = 256,
    LC_DIFFERS_MOUNT = 512, /* seen through a mount of another type, source or place */
    /* What can differ for the same file when it is seen through another mount. */
    LC_DIFFERS_BY_MOUNT = LC_DIFFERS_INODE | LC_DIFFERS_CTIME | LC_DIFFERS_MOUNT,
};

/* The differences that stat shows, as bits of enum lc_difference. Sizes of directories and symbolic
 * links are ignored: they depend on the file system. */
unsigned lc_difference(const struct lc_inode *was, const struct stat *st);

/* Appends the differences for a person to read: "size 1,204 -> 1,310, mtime". */
void lc_difference_tell(struct lc_buf *out, unsigned differs, const struct lc_inode *was,
                        const struct stat *st);

#endif
