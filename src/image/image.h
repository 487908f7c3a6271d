/* SPDX-License-Identifier: MIT */
/* image.h - open an image file, verify it, read content from it */
#ifndef LC_IMAGE_IMAGE_H
#define LC_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "image/index_read.h"
#include "image/look.h"
#include "util/error.h"

/* Key in the provenance: bytes of thread variables of the recorded program whose libraries have
 * most. */
#define LC_PROVENANCE_TLS "static_tls_bytes"

/* Keys in the provenance: requests of the recorded programs on managed paths, and how many programs
 * that were. May be missing. */
#define LC_PROVENANCE_ASKED    "operations_asked"
#define LC_PROVENANCE_PROGRAMS "programs_run"

/* An open image. Fields are for reading. */
struct lc_image {
    struct lc_look look;
    char *file; /* as given */
    int fd;
    struct lc_private_pages
        memory;            /* the index, read once: later changes of the file have no effect here */
    struct lc_image *base; /* an overlay's base, open too; NULL otherwise */
};

/* Open, read and verify the index (not the content: see lc_image_verify_content). NULL with err
 * filled and errno set: EBADMSG when the file is not a usable image, else why it cannot be read.
 * The caller closes it with lc_image_close. An overlay's base is opened with it; a base that is an
 * overlay itself is refused. */
struct lc_image *lc_image_open(const char *file, struct lc_error *err);
void lc_image_close(struct lc_image *image); /* NULL is fine */

/* Identity of an image file, read from its header and table of contents alone. 0, or -1 as
 * lc_image_open. */
int lc_image_id(const char *file, uint64_t *id, struct lc_error *err);

/* Which job has added an entry: an enum lc_learnt_mark. */
uint16_t lc_image_learnt_by(const struct lc_image *image, uint32_t entry);

/* Does the image, or its base, belong to neither this user nor root? */
bool lc_image_is_foreign(const struct lc_image *image);

/* Check every offset, count, hash and order in bytes that lc_look_open accepted. O(entries).
 * 0, or -1 with err filled. */
int lc_image_verify(const struct lc_look *look, struct lc_error *err);

/* Compare every file's content with its hash. 0, or -1 with err filled at the first difference. */
int lc_image_verify_content(const struct lc_image *image, struct lc_error *err);

/* Which file holds an inode's content, and where. False if the image has none. */
bool lc_image_content(const struct lc_image *image, const struct lc_inode *inode, int *fd,
                      off_t *offset);

/* Read 'len' bytes of an inode's content, from offset 'from' on. 0, or -1 with errno (EBADMSG: the
 * image is shorter than its index says). The bytes are not compared with the content's hash: the
 * caller does that, on the bytes that were read. */
int lc_image_read(const struct lc_image *image, const struct lc_inode *inode, void *out, size_t len,
                  uint64_t from);

/* The provenance: JSON text of *len bytes, NULL if there is none. Not terminated. */
const char *lc_image_provenance(const struct lc_image *image, size_t *len);

/* Totals of an image, for people. */
struct lc_image_totals {
    size_t files, stat_only, directories, complete, links, absent, made, searches;
    uint64_t bytes;         /* of all files, hard links once */
    uint64_t content_bytes; /* as stored */
    uint64_t index_bytes;   /* all but content and names */
    uint64_t names_bytes;
};
struct lc_image_totals lc_image_count(const struct lc_image *image);

struct lc_unpacked {
    size_t files, directories, links, stat_only;
    uint64_t bytes;
};

/* Write everything an image holds below the directory 'dir', which is made and must be empty:
 * files, hard links, links, modes and times; no ownership. 0, or -1 with err filled, errno
 * (EBADMSG: content is not what its hash says) and nothing left below 'dir'. */
int lc_image_unpack(const struct lc_image *image, const char *dir, struct lc_unpacked *did,
                    struct lc_error *err);

/* Write the index without content as a separate file that lc_look_open accepts: this is what
 * processes on a node map. Its identity differs from the image's and is returned in *id. Sections
 * of unknown types are left out. 0, or -1 with errno. */
int lc_image_save_index(const struct lc_look *look, int fd, uint64_t *id);

#endif
