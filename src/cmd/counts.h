/* SPDX-License-Identifier: MIT */
/* counts.h - print the client's counters as text and as JSON: for 'exec --stats' and 'status' */
#ifndef LC_CMD_COUNTS_H
#define LC_CMD_COUNTS_H

#include <stdio.h>

#include "stage/counters.h"
#include "util/json.h"

void lc_counts_print(const struct lc_counts *counts, FILE *out);

/* Print the paths that were passed through to the file system most often, and which command records
 * them; 'image' is the image file to update, or NULL. */
void lc_counts_print_passed(const struct lc_live *live, const struct lc_live *before,
                            const char *image, FILE *out);

/* Print how many symbol bindings were replayed, if there were any; since 'before', a copy of the
 * counters, or since the start (NULL). */
void lc_counts_print_bindings(const struct lc_live *live, const struct lc_live *before, FILE *out);
/* Print the same for each process; processes that refused the bindings come first. */
void lc_counts_print_processes(const struct lc_live *live, FILE *out);
json_t *lc_counts_bindings_json(const struct lc_live *live);

/* Print the number of programs that were started without our auditor, and the reason for the first
 * one. */
void lc_counts_print_unfit(const struct lc_live *live, FILE *out);
json_t *lc_counts_unfit_json(const struct lc_live *live);

json_t *lc_counts_json(const struct lc_counts *counts);
json_t *lc_counts_passed_json(const struct lc_live *live);

#endif
