/* SPDX-License-Identifier: MIT */
/* put.h - private to src/results: whole runs into a database or a spool; no transaction here */
#ifndef LC_RESULTS_PUT_H
#define LC_RESULTS_PUT_H

#include "results/exchange.h"

int lc_put_run(const struct lc_results *results, const struct lc_run *run,
               struct lc_exchange *count, struct lc_error *err);
int lc_put_export(const struct lc_results *results, const char *file, struct lc_exchange *count,
                  struct lc_error *err);

#endif
