/* SPDX-License-Identifier: MIT */
/* session_dir.h - a directory in node memory that belongs to one running command
 *
 * 'loadcast bench' and 'doctor' stage into a directory of their own, PLACE/loadcast-bench.RANDOM,
 * so that they neither use nor disturb what jobs have staged. While the directory is locked, the
 * command or the process that cleans up after it is alive; else the directory was left behind. */
#ifndef LC_STAGE_SESSION_DIR_H
#define LC_STAGE_SESSION_DIR_H

#include <limits.h>

#include "stage/clean.h"

struct lc_session_dir {
    char path[PATH_MAX];
    int lock; /* open descriptor, close-on-exec; forked children keep the lock, too */
};

/* Make one in 'place'. 0, or -1 with err filled. */
int lc_session_dir_make(struct lc_session_dir *dir, const char *place, struct lc_error *err);

/* Remove directories that dead commands of this user left in 'place', or in all places if that is
 * NULL. Those that a process still uses stay. 'tell' may be NULL. */
void lc_session_dir_sweep(const char *place, lc_clean_tell *tell, void *arg);

#endif
