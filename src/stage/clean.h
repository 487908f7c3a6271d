/* SPDX-License-Identifier: MIT */
/* clean.h - remove node directories that nobody uses */
#ifndef LC_STAGE_CLEAN_H
#define LC_STAGE_CLEAN_H

#include <stdbool.h>

#include "stage/users.h"
#include "util/error.h"

enum lc_clean_scope {
    LC_CLEAN_STALE, /* directories of jobs that are over; exec does this by itself */
    LC_CLEAN_JOB,   /* those, and this job's own */
    LC_CLEAN_ALL,   /* those of this user's other jobs, too */
};

/* A directory of no job, or of another job, is stale if nobody registered for this time. */
enum { LC_CLEAN_IDLE_S = 3600 };

enum lc_clean_fate {
    LC_CLEAN_REMOVED,
    LC_CLEAN_IN_USE,    /* by a process */
    LC_CLEAN_OTHER_JOB, /* of a job that may go on */
    LC_CLEAN_GONE,      /* another process has removed it meanwhile */
    LC_CLEAN_FAILED,    /* errno says why */
};

/* Called with each node directory and what was done with it. */
typedef void lc_clean_tell(void *arg, const char *path, enum lc_clean_fate fate,
                           const struct lc_users *users, unsigned long long bytes);

/* Clean one user's directory (open, path 'user_path'), except the node directory 'keep' (may be
 * NULL). What dead processes left while staging or removing is removed, too. 'tell' may be NULL.
 * Returns how many node directories were removed. */
unsigned lc_clean_user(int user, const char *user_path, enum lc_clean_scope scope, const char *keep,
                       lc_clean_tell *tell, void *arg);

/* Remove one node directory, unless a process uses it. */
enum lc_clean_fate lc_clean_node(int user, const char *user_path, const char *name,
                                 enum lc_clean_scope scope);

/* Rename a directory, so that nobody uses it any more, and remove it. The caller holds its lock. 0,
 * or -1 with errno: EBUSY if a process registered meanwhile. */
int lc_clean_remove(int user, const char *user_path, const char *name);

/* Remove what dead processes left of a directory whose lock the caller holds. */
void lc_clean_leftovers(int user, const char *name);

/* The name of the lock of a node directory. */
void lc_clean_lock_name(char *out, size_t size, const char *name);

#endif
