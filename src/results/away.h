/* SPDX-License-Identifier: MIT */
/* away.h - private to src/results: work on a database where SQLite's locks cannot be trusted
 *
 * It is copied to a local file, changed there, and put back by rename. A lock file keeps two
 * such works apart; readers see the old or the new file, whole. */
#ifndef LC_RESULTS_AWAY_H
#define LC_RESULTS_AWAY_H

#include <limits.h>

#include "results/results.h"

struct lc_away {
    struct lc_results *results; /* to work with */
    bool local;                 /* it is the database itself: nothing was copied */
    char file[PATH_MAX], lock[PATH_MAX], copy[PATH_MAX];
};

/* 0, or -1 with err filled. */
int lc_away_begin(struct lc_away *away, const char *file, struct lc_error *err);

/* Put it back if 'keep'; else leave the database as it was. Everything is closed and removed either
 * way. */
int lc_away_end(struct lc_away *away, bool keep, struct lc_error *err);

#endif
