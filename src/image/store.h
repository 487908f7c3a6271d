/* SPDX-License-Identifier: MIT */
/* store.h - write the content section of an image: page-aligned, equal contents stored once */
#ifndef LC_IMAGE_STORE_H
#define LC_IMAGE_STORE_H

#include <stdint.h>
#include <sys/types.h>

#include "util/map.h"

struct lc_store {
    int fd;              /* the image, open for reading and writing; borrowed */
    off_t start;         /* offset of the content section in the file */
    uint64_t len;        /* bytes of the content section so far: a multiple of the page size */
    struct lc_map known; /* size and hash -> offset + 1 */
    char *buffer;
    uint64_t shared_bytes; /* bytes not written because equal content was already stored */
};

/* A content's place in the content section. */
struct lc_stored {
    uint64_t offset;
    uint64_t size;
    uint64_t hash[2];
};

enum { LC_STORE_READ_FAILED = -2 };

int lc_store_begin(struct lc_store *store, int fd, off_t start); /* -1 with ENOMEM */
void lc_store_end(struct lc_store *store);

/* Store 'size' bytes of a file from offset 'from' on, or fewer if the file ends before. 'sparse'
 * leaves holes for zeros. 0; -1 with errno if the image cannot be written, LC_STORE_READ_FAILED
 * with errno if the source cannot be read. */
int lc_store_fd(struct lc_store *store, int fd, off_t from, uint64_t size, int sparse,
                struct lc_stored *out);
int lc_store_bytes(struct lc_store *store, const void *bytes, uint64_t size, struct lc_stored *out);
/* The same for bytes whose hash, in out->hash, is known. */
int lc_store_hashed(struct lc_store *store, const void *bytes, uint64_t size,
                    struct lc_stored *out);

/* Is content with this size and hash already stored? Without comparing the bytes: only for hashes
 * that were taken from a verified image. */
int lc_store_known(struct lc_store *store, struct lc_stored *out);

#endif
