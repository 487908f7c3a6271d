/* SPDX-License-Identifier: MIT */
/* content_batch.h - an image for a node, whole or the part of its content that nodes lack
 *
 * What travels over MPI and, in a file, by Slurm's broadcast:
 *
 *   struct lc_content_batch_head | path of the image | its index | bits: which contents follow |
 * contents
 *
 * Over MPI the bits are agreed on the way; in a file they have need_len bytes. */
#ifndef LC_STAGE_CONTENT_BATCH_H
#define LC_STAGE_CONTENT_BATCH_H

#include "stage/content_stream.h"
#include "util/buf.h"

struct lc_content_batch_head {
    uint64_t magic; /* LC_CONTENT_BATCH_MAGIC */
    uint64_t id;    /* of the image */
    uint64_t index_len, path_len, need_len;
};
#define LC_CONTENT_BATCH_MAGIC 0x3244414548434cull /* "LCHEAD2" */

/* The sending end: an image and the list of its contents. */
struct lc_content_batch {
    struct lc_image *image;
    uint64_t id; /* of its file */
    struct lc_fill fill;
    struct lc_contents contents;
};

/* 0, or -1 with err filled; the caller ends it in any case. */
int lc_content_batch_open(struct lc_content_batch *batch, const char *image, struct lc_error *err);
void lc_content_batch_close(struct lc_content_batch *batch);

/* Head, path and index into 'out'. 0, or -1 with errno. */
int lc_content_batch_add_head(const struct lc_content_batch *batch, uint64_t need_len,
                              struct lc_buf *out);

/* A file with the contents whose bits are set in 'need' (lc_contents_bitmap bytes), or with none
 * and no bits if it is NULL. 0, or -1 with errno. */
int lc_content_batch_write(const struct lc_content_batch *batch, const uint8_t *need, int fd);

/* The receiving end: is the head whole, and what does it say? 1, 0 if more is to come, or -1 with
 * errno EPROTO. */
int lc_content_batch_read_head(const void *data, size_t len, struct lc_content_batch_head *head);
/* Its index as an image without content: aligned memory, a name of its own. 0, or -1 with err
 * filled; lc_content_batch_free_index in any case. */
int lc_content_batch_index(const void *data, const struct lc_content_batch_head *head,
                           struct lc_image *image, struct lc_error *err);
void lc_content_batch_free_index(struct lc_image *image);

#endif
