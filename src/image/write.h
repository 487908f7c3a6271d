/* SPDX-License-Identifier: MIT */
/* write.h - write a tree to an image file, completely or not at all */
#ifndef LC_IMAGE_WRITE_H
#define LC_IMAGE_WRITE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "image/tree.h"
#include "util/error.h"

struct lc_write {
    const char *file;
    const char *provenance; /* JSON text; may be NULL */
    const struct lc_image
        *base; /* write an overlay: content of this image is referred to, not copied */
    const struct timespec *mtime; /* of the image; NULL: now */
    /* Called per path that is not written as asked (unreadable, changing all the time); may be
     * NULL. */
    void (*skipped)(void *arg, const char *path, const char *why);
    /* Called now and then with bytes of content read so far; may be NULL. */
    void (*progress)(void *arg, uint64_t bytes);
    void *arg;
};

struct lc_written {
    size_t entries, files, retries, skipped;
    uint64_t content_bytes; /* read from file systems */
    uint64_t shared_bytes;  /* equal to other contents and therefore not stored again */
    uint64_t file_bytes;    /* length of the image */
    uint64_t id;
};

/* Write the tree to a temporary file beside how->file and rename it. Entries whose files are read
 * get the stat of the moment of reading. 0, or -1 with err filled and no file left behind. */
int lc_image_write(struct lc_tree *tree, const struct lc_write *how, struct lc_written *did,
                   struct lc_error *err);

#endif
