/* SPDX-License-Identifier: MIT */
/* check.h - once per job: is an image still true? What is not is mended. */
#ifndef LC_RECORD_CHECK_H
#define LC_RECORD_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

struct lc_check {
    bool deep;           /* compare content by hash, not by stat alone */
    bool dry_run;        /* find out, write nothing, start nothing */
    bool is_brief;       /* a directory in which nothing but its times differ counts as the same */
    long jobs;           /* questions under way at once */
    const char *overlay; /* write changes there; NULL: to the image, or if it is read-only to a
                            job-private place */
};

/* One thing that was not as recorded. */
struct lc_check_event {
    const char *what; /* "changed", "relisted", "gone", "appeared", "recompiled", "outdated" */
    char *path;
    char *why; /* changed: in what, for a person; else NULL */
};

struct lc_checked {
    size_t entries;
    size_t same;
    struct lc_check_event *event;
    size_t events;
    size_t searches_dropped;      /* what ld.so found may no longer hold */
    struct lc_error not_compiled; /* why an interpreter was not started; empty: none was wanted */
    double seconds;               /* asking */
    double write_seconds;
    char wrote[4096]; /* the file that is true now: the image itself or an overlay */
    bool is_overlay;
};

/* Check the image 'file' and mend it. 0, or -1 with err filled and errno EBADMSG or ENOENT if the
 * image itself cannot be used. The caller frees *did. */
int lc_check_image(const char *file, const struct lc_check *how, struct lc_checked *did,
                   struct lc_error *err);
struct lc_image;
struct lc_tree;
struct lc_mounts;

/* The first half only: open the image and load what is true of it today into 'tree'. The image must
 * stay open until the tree is written. NULL with err filled. */
struct lc_image *lc_check_load(const char *file, const struct lc_check *how, struct lc_tree *tree,
                               struct lc_mounts *mounts, struct lc_checked *did,
                               struct lc_error *err);
void lc_checked_free(struct lc_checked *did);

#endif
