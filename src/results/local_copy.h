/* SPDX-License-Identifier: MIT */
/* local_copy.h - private to src/results: change a database on a network file system
 *
 * SQLite's locks cannot be trusted there. The database is copied to a local file, changed there,
 * and put back by rename, so that readers see either the old or the new file. A lock file beside
 * the database keeps out other processes that do the same. */
#ifndef LC_RESULTS_LOCAL_COPY_H
#define LC_RESULTS_LOCAL_COPY_H

#include <limits.h>

#include "results/results.h"

struct lc_local_copy {
    struct lc_results *results; /* the open database to change: the copy, or the database itself */
    bool local;                 /* the database is on a local file system: nothing was copied */
    char file[PATH_MAX], lock[PATH_MAX], copy[PATH_MAX];
};

/* Locks and copies 'file' if it is on a network file system, and opens it for writing. 0, or -1
 * with err filled. */
int lc_local_copy_begin(struct lc_local_copy *copy, const char *file, struct lc_error *err);

/* With 'keep' puts the copy back in place of the database; else drops the copy. Closes the database
 * and removes copy and lock either way. 0, or -1 with err filled. */
int lc_local_copy_end(struct lc_local_copy *copy, bool keep, struct lc_error *err);

#endif
