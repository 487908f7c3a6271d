/* SPDX-License-Identifier: MIT */
/* results.h - private to src/cmd: what 'loadcast results' was asked, and its views */
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

/* Each reads what the filter lets pass and prints it. 0, or -1 with err filled. */
int lc_results_list(const struct lc_results *results, const struct lc_results_view *view,
                    struct lc_error *err);
int lc_results_show(const struct lc_results *results, const struct lc_results_view *view,
                    struct lc_error *err);
int lc_results_export(const struct lc_results *results, const struct lc_results_view *view,
                      struct lc_error *err);

/* A moment as people write it: "2026-01-31", "2026-01-31T12:34", or how long ago: "7d", "12h". 0,
 * or -1 with err filled. */
int lc_parse_when(const char *what, const char *text, int64_t *wall_ns, struct lc_error *err);

#endif
