/* SPDX-License-Identifier: MIT */
/* run_json.h - a run as JSON, for export, import and spool files
 *
 * The format is described in doc/results.md. */
#ifndef LC_RESULTS_RUN_JSON_H
#define LC_RESULTS_RUN_JSON_H

#include "results/run.h"
#include "util/json.h"

enum { LC_RUN_FORMAT = 1 };

/* NULL if out of memory. */
json_t *lc_run_to_json(const struct lc_run *run);

/* 'value' is not trusted. On success the run's strings are borrowed from it, and lc_run_release
 * frees what the run owns. -1 with err filled names the member that is wrong. */
int lc_run_from_json(json_t *value, struct lc_run *run, struct lc_error *err);
void lc_run_release(struct lc_run *run);

#endif
