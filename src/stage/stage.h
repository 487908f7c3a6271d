/* SPDX-License-Identifier: MIT */
/* stage.h - put an image into this node's memory, once, whoever asks first */
#ifndef LC_STAGE_STAGE_H
#define LC_STAGE_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "stage/nodedir.h"
#include "util/error.h"

struct lc_fill;
struct lc_image;

struct lc_stage_options {
    const char *dir;    /* use this directory and no other; may be NULL */
    bool only_libs;     /* programs and libraries only */
    bool must_exec;     /* programs are to start from it: no place that is mounted noexec */
    double patience_s;  /* how long another stager may do nothing before it is given up */
    const char *origin; /* where launch, audit.so and preload.so are; lc_stage_origin() */
    uint64_t id; /* of the image, if it is known: it is then opened only to be staged; or 0 */
    struct lc_image *image; /* opened already (borrowed), else NULL */
    /* Write the files below NODE/files instead of lc_fill_files: content comes from elsewhere. */
    int (*fill_files)(void *arg, struct lc_fill *fill, struct lc_error *err);
    void *arg;
};

struct lc_stage_report {
    bool fresh;      /* staged by this call: else it was there */
    uint64_t files;  /* staged inodes */
    uint64_t bytes;  /* taken in the directory */
    uint64_t copied; /* bytes that were on this node already */
    double seconds;
    bool is_memory; /* the directory lies in memory, not on a disk */
    unsigned stale; /* directories of dead jobs that were removed */
};

/* Make sure that the image stands in a node directory, and register this process as its user.
 * 0 with *node open (the caller closes it), or -1 with err filled and errno: EBADMSG the image
 * cannot be used, ENOSPC no room, ETIMEDOUT another stager hangs, else why. */
int lc_stage(const char *image, const struct lc_stage_options *how, struct lc_nodedir *node,
             struct lc_stage_report *did, struct lc_error *err);

/* Where the objects lie that belong to this program: beside it. 0, or -1 with err filled. */
int lc_stage_origin(char *out, size_t size, struct lc_error *err);

#endif
