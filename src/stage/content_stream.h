/* SPDX-License-Identifier: MIT */
/* content_stream.h - the contents of an image as a stream of bytes, and back into files
 *
 * Both ends list the distinct contents of an image from its index, in the order of the image. The
 * stream is the bytes of those that are needed, one after the other with nothing between. */
#ifndef LC_STAGE_CONTENT_STREAM_H
#define LC_STAGE_CONTENT_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "stage/fill.h"

/* Distinct contents. Content i belongs to the inodes inode[first[i]] to inode[first[i + 1] - 1]. */
struct lc_contents {
    uint32_t *inode, *first;
    uint32_t count;
    uint64_t bytes;
};

/* List the contents of a fill that lc_fill_plan has planned. 0, or -1 with errno ENOMEM. The caller
 * frees it. */
int lc_contents_list(struct lc_contents *contents, const struct lc_fill *fill);
void lc_contents_free(struct lc_contents *contents);

/* Bit maps over contents: a set bit means that the content is needed. */
static inline size_t lc_contents_bitmap(const struct lc_contents *contents)
{
    return (contents->count + 7) / 8;
}
static inline int lc_contents_is_needed(const uint8_t *need, uint32_t i)
{
    return need[i / 8] >> (i % 8) & 1;
}

/* The sending end: reads the needed contents from the image, in its order and in large pieces,
 * whatever the sizes of the files. The caller sets the first four fields and zeroes the rest. */
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

/* The length of the whole stream. */
uint64_t lc_content_reader_bytes(const struct lc_content_reader *reader);
/* Read the next bytes, at most 'size'. How many; 0 at the end; -1 with errno. */
ssize_t lc_content_reader_read(struct lc_content_reader *reader, void *out, size_t size);
void lc_content_reader_free(struct lc_content_reader *reader);

/* The receiving end: writes files below 'root' (NODE/files). */
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

/* Copy what fill->sources have, and set the bits of all other contents in 'need' (zeroed,
 * lc_contents_bitmap bytes). 0, or -1 with errno. The caller ends it in any case. */
int lc_content_writer_begin(struct lc_content_writer *unpack, struct lc_fill *fill, int root,
                            const struct lc_contents *contents, uint8_t *need);
/* Take bytes of the stream. 'sent' has the bits of all contents that are in it: what only other
 * nodes need is skipped. 0, or -1 with errno. */
int lc_content_writer_add(struct lc_content_writer *unpack, const uint8_t *sent, const char *data,
                          size_t len);
/* The stream is over. 0 if everything came; else -1 with errno (EIO: bytes are missing). */
int lc_content_writer_end(struct lc_content_writer *unpack, const uint8_t *sent);

/* All of it: begin, let 'receive' add the stream, end. 'need' is what this node lacks; 'receive'
 * returns 0 and sets *sent to the bits of what came, or -1 with errno. */
typedef int lc_contents_receiver(void *arg, struct lc_content_writer *unpack, const uint8_t *need,
                                 const uint8_t **sent);
int lc_contents_receive(struct lc_fill *fill, int root, const struct lc_contents *contents,
                        lc_contents_receiver *receive, void *arg);

#endif
