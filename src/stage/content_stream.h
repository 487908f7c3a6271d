/* SPDX-License-Identifier: MIT */
/* stream.h - the content of an image as one run of bytes, and back into files
 *
 * Both ends list the distinct contents of an image from its index, in the order in which they lie
 * there. What travels is the bytes of those that are needed, one after the other, nothing between.
 */
#ifndef LC_STAGE_CONTENT_STREAM_H
#define LC_STAGE_CONTENT_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "stage/fill.h"

/* Distinct contents: content i is that of inodes inode[first[i]] to inode[first[i + 1] - 1]. */
struct lc_contents {
    uint32_t *inode, *first;
    uint32_t count;
    uint64_t bytes;
};

/* Of a planned fill. 0, or -1 with errno ENOMEM. The caller frees it. */
int lc_contents_list(struct lc_contents *contents, const struct lc_fill *fill);
void lc_contents_free(struct lc_contents *contents);

/* Bitmaps over contents: those that are needed. */
static inline size_t lc_contents_bitmap(const struct lc_contents *contents)
{
    return (contents->count + 7) / 8;
}
static inline int lc_contents_is_needed(const uint8_t *need, uint32_t i)
{
    return need[i / 8] >> (i % 8) & 1;
}

/* The sending end: bytes of the needed contents, read from the image in large pieces in its order,
 * whatever the sizes of its files are. Zeroed but for the first four fields at first. */
struct lc_content_reader {
    const struct lc_image *image;
    const struct lc_fill *fill;
    const struct lc_contents *contents;
    const uint8_t *need;
    uint32_t at;   /* content */
    uint64_t done; /* bytes of it */
    char *window;  /* owned */
    uint64_t window_from, window_len;
    int window_fd;
};

/* How many bytes it will give in all. */
uint64_t lc_content_reader_bytes(const struct lc_content_reader *reader);
/* The next bytes, at most 'size'; 0 at the end; -1 with errno. */
ssize_t lc_content_reader_read(struct lc_content_reader *reader, void *out, size_t size);
void lc_content_reader_free(struct lc_content_reader *reader);

/* The receiving end, below 'root' (NODE/files). */
struct lc_content_writer {
    struct lc_fill *fill;
    int root;
    const struct lc_contents *contents;
    const uint8_t *need;
    uint32_t at;
    uint64_t done;
    int fd; /* of the file being written; -1: none */
    void *hash;
    char *buffer;
};

/* What sources have is copied at once; the bits in 'need' (zeroed, lc_contents_bitmap bytes) of all
 * others are set. 0, or -1 with errno. The caller ends it in any case. */
int lc_content_writer_begin(struct lc_content_writer *unpack, struct lc_fill *fill, int root,
                            const struct lc_contents *contents, uint8_t *need);
/* 'need' may have more bits by now: what others need comes by and is passed over. */
int lc_content_writer_add(struct lc_content_writer *unpack, const uint8_t *sent, const char *data,
                          size_t len);
/* 0 if everything is there; -1 with errno (EIO: bytes are missing). */
int lc_content_writer_end(struct lc_content_writer *unpack, const uint8_t *sent);

#endif
