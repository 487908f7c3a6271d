/* SPDX-License-Identifier: MIT */
/* fill.h - the parts of a node directory, written into an empty one */
#ifndef LC_STAGE_FILL_H
#define LC_STAGE_FILL_H

#include <stdbool.h>
#include <stdint.h>

#include "client/node.h"
#include "image/image.h"
#include "stage/lock.h"
#include "util/error.h"

/* Everything one staging needs. */
struct lc_fill {
    const struct lc_image *image;
    const char *path; /* of the directory, for messages */
    int fd;           /* the directory */
    bool only_libs, no_exec;
    const char *origin;
    struct lc_lock *lock; /* told of progress; may be NULL */
    uint32_t *home;       /* per inode: an entry that names it, LC_NONE if it is not staged */
    uint64_t *ino;        /* per inode: st_ino of its staged file */
    uint64_t files, bytes;
};

/* Which inodes are to be staged: sets home, files and bytes (what they take, rounded to pages, with
 * index and all). 0, or -1 with errno. The caller calls lc_fill_end. */
int lc_fill_plan(struct lc_fill *fill);
void lc_fill_end(struct lc_fill *fill);

/* Directories and files, in several threads; content is compared with its hash. */
int lc_fill_files(struct lc_fill *fill, struct lc_error *err);

/* index, state, live, code, about, users, bin. */
int lc_fill_parts(struct lc_fill *fill, struct lc_error *err);

/* code.c: NODE/code for the index of this identity, once the files are there. 0, or -1 with errno. */
int lc_fill_code(const struct lc_fill *fill, uint64_t index_id);
bool lc_fill_is_code(const struct lc_look *look, uint32_t entry);

/* Bytes that launch, audit.so and preload.so take. */
uint64_t lc_fill_object_bytes(const char *origin);

/* What the objects at 'origin' are, so that a later build is noticed. NULL with errno ENOMEM;
 * the caller frees it. */
char *lc_fill_objects(const char *origin);

#endif
