/* SPDX-License-Identifier: MIT */
/* insert.h - private to src/results: write runs to the tables; the caller has begun a transaction
 */
#ifndef LC_RESULTS_INSERT_H
#define LC_RESULTS_INSERT_H

#include "results/results.h"

/* Inserts a row with everything but phases and metrics. 0, or -1; then call lc_db_fail. */
int lc_insert_run(const struct lc_results *results, const struct lc_run *run);

/* Adds end, phases and metrics to a row of status 'started'. 0; 1 if there is no such row; -1, then
 * call lc_db_fail. */
int lc_insert_end(const struct lc_results *results, const struct lc_run *run);

int lc_insert_metric(const struct lc_results *results, int64_t id, const char *name, double value);

/* The id of a run, 0 if there is none. */
int64_t lc_insert_find(const struct lc_results *results, const char *uid, bool only_started);

enum lc_put { LC_PUT_FAILED = -1, LC_PUT_ADDED, LC_PUT_UPDATED, LC_PUT_KNOWN };

/* Writes a complete run of another database, identified by its uid: inserts it, completes it if it
 * was only reserved here, or leaves it if it is known. After LC_PUT_FAILED call lc_db_fail. */
enum lc_put lc_insert_put(const struct lc_results *results, const struct lc_run *run);

#endif
