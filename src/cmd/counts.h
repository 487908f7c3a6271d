/* SPDX-License-Identifier: MIT */
/* counts.h - the client's counters for people and as JSON: exec --stats and status */
#ifndef LC_CMD_COUNTS_H
#define LC_CMD_COUNTS_H

#include <stdio.h>

#include "stage/counters.h"
#include "util/json.h"

void lc_counts_print(const struct lc_counts *counts, FILE *out);

/* The paths that were asked of the file system most, with the advice that mends it; 'image' is the
 * file to be brought up to date, or NULL. */
void lc_counts_print_passed(const struct lc_live *live, const struct lc_live *before,
                            const char *image, FILE *out);

/* Replayed bindings, if there were any to replay; since 'before', a copy of the same, or NULL. */
void lc_counts_print_bindings(const struct lc_live *live, const struct lc_live *before, FILE *out);
/* The same for each process, those that refused first. */
void lc_counts_print_processes(const struct lc_live *live, FILE *out);
json_t *lc_counts_bindings_json(const struct lc_live *live);

/* Programs that were started without our auditor, and why the first was. */
void lc_counts_print_unfit(const struct lc_live *live, FILE *out);
json_t *lc_counts_unfit_json(const struct lc_live *live);

json_t *lc_counts_json(const struct lc_counts *counts);
json_t *lc_counts_passed_json(const struct lc_live *live);

#endif
