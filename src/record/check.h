/* SPDX-License-Identifier: MIT */
/* check.h - compare an image with the file system, and update the entries that differ
 *
 * Runs once per job, before the image is staged. */
#ifndef LC_RECORD_CHECK_H
#define LC_RECORD_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

struct lc_check {
    bool deep;           /* compare content by hash, not by stat alone */
    bool dry_run;        /* report only: write nothing, start no interpreter */
    bool is_brief;       /* ignore directories that differ in their times only */
    long jobs;           /* questions to the file system at once, at most: see polite_threads.h */
    const char *overlay; /* write changes to this file; NULL: to the image, or if that is
                            read-only to a file private to the job */
    const char *overlay_if_large; /* without 'overlay': the same, but only where writing the image
                                     anew would take much longer; NULL: never */
};

/* One entry that was not as recorded. */
struct lc_check_event {
    const char *what; /* "changed", "relisted", "gone", "appeared", "recompiled", "outdated" */
    char *path;
    char *why; /* of "changed": what differs, for a person to read; else NULL */
};

struct lc_checked {
    size_t entries;
    size_t same;
    struct lc_check_event *event;
    size_t events;
    size_t searches_dropped; /* recorded library searches of ld.so that may no longer be right */
    struct lc_error
        not_compiled; /* why Python could not be started; empty: not needed, or started */
    double seconds;   /* spent on querying the file system */
    double write_seconds;
    char wrote[4096]; /* the up-to-date file: the image itself or an overlay */
    bool is_overlay;
};

/* Check the image 'file' and update it. 0, or -1 with err filled and errno EBADMSG or ENOENT if the
 * image itself cannot be used. The caller frees *did. */
int lc_check_image(const char *file, const struct lc_check *how, struct lc_checked *did,
                   struct lc_error *err);
struct lc_image;
struct lc_tree;
struct lc_mounts;

/* Check without writing: open the image and load its entries, brought up to date, into 'tree'. The
 * image must stay open until the tree is written. NULL with err filled. */
struct lc_image *lc_check_load(const char *file, const struct lc_check *how, struct lc_tree *tree,
                               struct lc_mounts *mounts, struct lc_checked *did,
                               struct lc_error *err);
void lc_checked_free(struct lc_checked *did);

#endif
