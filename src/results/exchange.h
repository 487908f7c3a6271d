/* SPDX-License-Identifier: MIT */
/* exchange.h - runs from other databases, spool files and exports; and runs taken out again
 *
 * A run has a name of its own (uid), so that bringing it in twice changes nothing. */
#ifndef LC_RESULTS_EXCHANGE_H
#define LC_RESULTS_EXCHANGE_H

#include "results/read.h"

struct lc_exchange {
    long added;   /* were not there */
    long updated; /* were only reserved here, and have ended since */
    long known;   /* were there already */
    long refused; /* could not be read; told to 'warn' */
    bool salvage; /* of a damaged database take what can be read, and count the rest as refused */
    void (*warn)(const char *text); /* may be NULL */
};

/* An export (JSON) into the database: all of its runs, or none. 0, or -1 with err filled: where
 * and what is wrong with it. */
int lc_results_import(struct lc_results *results, const char *file, struct lc_exchange *count,
                      struct lc_error *err);

/* Bring the database's own spool files in, and what is named: databases, spool directories, or
 * exports. Spool files whose run has ended are removed; so are reserved ones nobody has touched
 * for a week. The database is made if absent; on a network file system a local copy is worked on,
 * and put in place whole. */
int lc_results_merge(const char *file, const char *const *from, size_t froms,
                     struct lc_exchange *count, struct lc_error *err);

/* Remove the runs that pass the filter; with 'dry' only count them. */
int lc_results_prune(const char *file, const struct lc_run_filter *filter, bool dry, long *count,
                     struct lc_error *err);

/* Runs in the database's spool directory that wait for a merge. */
long lc_results_waiting(const char *file);

#endif
