/* SPDX-License-Identifier: MIT */
/* content_batch.h - what is sent to nodes: the index of an image and the contents that nodes lack
 *
 * Over MPI, and in a file by Slurm's broadcast:
 *
 *   struct lc_content_batch_head | path of the image | its index | bits: which contents follow |
 * contents
 *
 * In a file the bits have need_len bytes. Over MPI they are not in the batch: the nodes agree on
 * them after the index has come (stage/mpi/ring.h). */
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

/* Open an image and list its contents. 0, or -1 with err filled; the caller closes it in any case.
 */
int lc_content_batch_open(struct lc_content_batch *batch, const char *image, struct lc_error *err);
void lc_content_batch_close(struct lc_content_batch *batch);

/* Add head, path and index to 'out'. 0, or -1 with errno. */
int lc_content_batch_add_head(const struct lc_content_batch *batch, uint64_t need_len,
                              struct lc_buf *out);

/* Write a batch with the contents whose bits are set in 'need' (lc_contents_bitmap bytes). If that
 * is NULL, with no bits and no contents. 0, or -1 with errno. */
int lc_content_batch_write(const struct lc_content_batch *batch, const uint8_t *need, int fd);

/* The receiving end: read the head. 1; 0 if 'data' does not yet hold head, path and index; or -1
 * with errno EPROTO. */
int lc_content_batch_read_head(const void *data, size_t len, struct lc_content_batch_head *head);
/* The index of the batch, copied and verified, as an image without content. 0, or -1 with err
 * filled; the caller calls lc_content_batch_free_index in any case. */
int lc_content_batch_index(const void *data, const struct lc_content_batch_head *head,
                           struct lc_image *image, struct lc_error *err);
void lc_content_batch_free_index(struct lc_image *image);

#endif
