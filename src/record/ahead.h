/* SPDX-License-Identifier: MIT */
/* ahead.h - ask a file system about many paths at a time, before they are walked one by one */
#ifndef LC_RECORD_AHEAD_H
#define LC_RECORD_AHEAD_H

#include <stdbool.h>
#include <sys/stat.h>

#include "util/map.h"

/* What is known of one path, which is not followed if it is a symbolic link. */
struct lc_ahead {
    int error; /* 0: it is there; ENOENT, ENOTDIR; -1: not known */
    struct stat st;
    bool has_acl; /* not asked for a symbolic link */
    char *target; /* of a symbolic link; NULL: cannot be read */
};

/* Paths and what is known of them: path -> struct lc_ahead. */
struct lc_ahead_paths {
    struct lc_map known;
};

/* Add an absolute path and the directories above it, unless it has "." or ".." in it. 0, or -1 with
 * ENOMEM. */
int lc_ahead_add(struct lc_ahead_paths *all, const char *path);

/* Ask for all paths that were added, many at a time (polite_threads.h). */
void lc_ahead_ask(struct lc_ahead_paths *all);

/* The answer for a path; NULL if it is not known whether it is there. */
const struct lc_ahead *lc_ahead_find(const struct lc_ahead_paths *all, const char *path);

void lc_ahead_free(struct lc_ahead_paths *all);

#endif
