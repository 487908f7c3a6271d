/* SPDX-License-Identifier: MIT */
/* exchange.h - import and merge runs into a database; remove runs from it
 *
 * Each run has a unique name (uid), so that importing it twice changes nothing. */
#ifndef LC_RESULTS_EXCHANGE_H
#define LC_RESULTS_EXCHANGE_H

#include "results/read.h"

struct lc_exchange {
    long added;   /* new runs */
    long updated; /* runs that were only reserved here, and now got their end */
    long known;   /* runs that were there already */
    long refused; /* could not be read; each is reported to 'warn' */
    bool salvage; /* of a damaged database read what can be read, and count the rest as refused */
    void (*warn)(const char *text); /* may be NULL */
};

/* Imports an export (JSON): all of its runs, or none. 0, or -1 with err filled, which says where
 * the export is wrong. */
int lc_results_import(struct lc_results *results, const char *file, struct lc_exchange *count,
                      struct lc_error *err);

/* Merges the database's own spool files, and what 'from' names: databases, spool directories or
 * exports. Spool files of ended runs are removed, and those of reserved runs that have not changed
 * for a week. The database is created if absent; on a network file system a local copy is changed
 * and then put in its place. */
int lc_results_merge(const char *file, const char *const *from, size_t froms,
                     struct lc_exchange *count, struct lc_error *err);

/* Remove the runs that pass the filter; with 'dry' only count them. */
int lc_results_prune(const char *file, const struct lc_run_filter *filter, bool dry, long *count,
                     struct lc_error *err);

/* How many runs in the database's spool directory wait for a merge. */
long lc_results_waiting(const char *file);

/* Private to src/results: write one run, or all runs of an export, to the database, or to the spool
 * if that is in use. The caller begins and ends the transaction. 0, or -1 with err filled. */
int lc_exchange_put_run(const struct lc_results *results, const struct lc_run *run,
                        struct lc_exchange *count, struct lc_error *err);
int lc_exchange_put_export(const struct lc_results *results, const char *file,
                           struct lc_exchange *count, struct lc_error *err);

#endif
