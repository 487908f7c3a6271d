/* SPDX-License-Identifier: MIT */
/* stage.h - put an image into this node's memory, once per node */
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
    bool must_exec;     /* programs start from it: no place that is mounted noexec */
    double patience_s;  /* give up if another process is staging and does nothing for so long */
    double most_s;      /* give up if it is still staging after so long; 0: no limit */
    const char *origin; /* where launch, audit.so and preload.so are; lc_stage_origin() */
    uint64_t
        id; /* of the image if known, else 0; the image is then opened only if it must be staged */
    struct lc_image *image; /* opened already (borrowed), else NULL */
    /* Used instead of lc_fill_files if not NULL: writes the files below NODE/files with content
     * from elsewhere. */
    int (*fill_files)(void *arg, struct lc_fill *fill, struct lc_error *err);
    /* Called when all of the directory is written but its name; may be NULL. 0, or -1 with err
     * filled and errno: then it is removed. */
    int (*before_publishing)(void *arg, struct lc_fill *fill, struct lc_error *err);
    void *arg;
    bool (*is_stopped)(void); /* asked while another process stages; may be NULL */
};

struct lc_stage_report {
    bool fresh;      /* staged by this call; else it was there already */
    uint64_t files;  /* staged inodes */
    uint64_t bytes;  /* taken in the directory */
    uint64_t copied; /* bytes that other node directories had */
    double seconds;
    bool is_memory; /* the directory lies in memory, not on a disk */
    unsigned stale; /* directories of dead jobs that were removed */
};

/* Make sure that the image is in a node directory, and register this process as a user of it.
 * 0 with *node open (the caller closes it), or -1 with err filled and errno: EBADMSG the image
 * cannot be used, ENOSPC no room, ETIMEDOUT another stager hangs, EINTR is_stopped(), else why. */
int lc_stage(const char *image, const struct lc_stage_options *how, struct lc_nodedir *node,
             struct lc_stage_report *did, struct lc_error *err);

/* parts.c: the directory with launch, audit.so and preload.so, which is this program's own. 0, or
 * -1 with err filled. */
int lc_stage_origin(char *out, size_t size, struct lc_error *err);

#endif
