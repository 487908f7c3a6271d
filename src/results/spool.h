/* SPDX-License-Identifier: MIT */
/* spool.h - private to src/results: one JSON file per run, for network file systems */
#ifndef LC_RESULTS_SPOOL_H
#define LC_RESULTS_SPOOL_H

#include "results/results.h"

/* Creates the spool directory. 0, or -1 with err filled. */
int lc_spool_make(const struct lc_results *results, struct lc_error *err);

/* Writes or replaces the run's file, atomically. */
int lc_spool_put(const struct lc_results *results, const struct lc_run *run, struct lc_error *err);

/* As lc_results_finish and lc_results_metric, for the spool file of the run. */
int lc_spool_finish(const struct lc_results *results, const struct lc_run *end,
                    struct lc_error *err);
int lc_spool_metric(const struct lc_results *results, const char *uid, const char *name,
                    double value, struct lc_error *err);

#endif
