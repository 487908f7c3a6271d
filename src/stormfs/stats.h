/* SPDX-License-Identifier: MIT */
/* stats.h - the counters as JSON, and the JSON as a table */
#ifndef LC_STORMFS_STATS_H
#define LC_STORMFS_STATS_H

#include <jansson.h>
#include <stdio.h>

struct lc_storm;

/* All counters and statistics. The caller owns the reference. */
json_t *lc_stats_json(const struct lc_storm *storm);

/* Prints the statistics as a table for people. */
void lc_stats_print(const json_t *stats, FILE *out);

#endif
