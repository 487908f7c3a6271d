/* SPDX-License-Identifier: MIT */
/* session_dir.h - a directory in node memory that belongs to one running command
 *
 * 'loadcast bench' stages into a directory of its own, PLACE/loadcast-bench.RANDOM, so that it
 * neither uses nor disturbs what jobs have staged. A lock on it says that the command, or the
 * process that cleans up after it, is alive; without it the directory was left behind. */
#ifndef LC_STAGE_SESSION_DIR_H
#define LC_STAGE_SESSION_DIR_H

#include <limits.h>

#include "stage/clean.h"

struct lc_session_dir {
    char path[PATH_MAX];
    int lock; /* open while it is ours, close-on-exec; forked children keep it locked too */
};

/* Make one in 'place'. 0, or -1 with err filled. */
int lc_session_dir_make(struct lc_session_dir *dir, const char *place, struct lc_error *err);

/* Remove those of this user that dead commands left, in 'place'; NULL: wherever images may stand.
 * What a process still runs from stays. 'tell' may be NULL. */
void lc_session_dir_sweep(const char *place, lc_clean_tell *tell, void *arg);

#endif
