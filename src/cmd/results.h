/* SPDX-License-Identifier: MIT */
/* results.h - the options of 'loadcast results', and its views; used in src/cmd only */
#ifndef LC_CMD_RESULTS_H
#define LC_CMD_RESULTS_H

#include <stdbool.h>
#include <stdio.h>

#include "results/read.h"

struct lc_results_view {
    const char *db;
    struct lc_run_filter filter;
    bool json, csv;
    const char *output; /* NULL: standard output */
};

/* Each prints the runs that match the filter. 0, or -1 with err filled. */
int lc_results_list(const struct lc_results *results, const struct lc_results_view *view,
                    struct lc_error *err);
int lc_results_show(const struct lc_results *results, const struct lc_results_view *view,
                    struct lc_error *err);
int lc_results_export(const struct lc_results *results, const struct lc_results_view *view,
                      struct lc_error *err);

#endif
