/* SPDX-License-Identifier: MIT */
/* insert.h - private to src/results: runs into the tables; the caller has begun a transaction */
#ifndef LC_RESULTS_INSERT_H
#define LC_RESULTS_INSERT_H

#include "results/results.h"

/* A new row with everything but its phases and metrics; -1 without err. */
int lc_insert_run(const struct lc_results *results, const struct lc_run *run);

/* The row, which has status 'started', gets its end, phases and metrics. 0, -1 without err, or 1:
 * there is no such row. */
int lc_insert_end(const struct lc_results *results, const struct lc_run *run);

int lc_insert_metric(const struct lc_results *results, int64_t id, const char *name, double value);

/* The id of a run, 0 if there is none. */
int64_t lc_insert_find(const struct lc_results *results, const char *uid, bool only_started);

enum lc_put { LC_PUT_FAILED = -1, LC_PUT_ADDED, LC_PUT_UPDATED, LC_PUT_KNOWN };

/* A whole run from elsewhere, by its uid: added, or filled in if it was only reserved here, or left
 * as it is. LC_PUT_FAILED without err. */
enum lc_put lc_insert_put(const struct lc_results *results, const struct lc_run *run);

#endif
