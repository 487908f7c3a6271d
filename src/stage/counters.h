/* SPDX-License-Identifier: MIT */
/* counters.h - NODE/live, the client's shared counters: made by the stager, read by status and
 * --stats */
#ifndef LC_STAGE_COUNTERS_H
#define LC_STAGE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/format.h"

/* A counter's name in JSON, and its text for people. */
struct lc_count_name {
    const char *key, *text;
};

/* By enum lc_count_kind. */
extern const struct lc_count_name lc_count_names[LC_COUNTS];

bool lc_count_is_passed(int kind);   /* passed to the file system */
bool lc_count_is_answered(int kind); /* answered from node memory */

/* Counters at one moment. */
struct lc_counts {
    uint64_t count[LC_COUNTS];
    uint64_t bytes_opened;
};

/* Operations that managed file systems were still asked for. */
uint64_t lc_counts_passed(const struct lc_counts *counts);
struct lc_counts lc_live_read(const struct lc_live *live);
struct lc_counts lc_live_since(const struct lc_live *live, const struct lc_counts *before);

/* A passed-through path, copied. */
struct lc_passed_path {
    char path[LC_PASSED_LEN];
    uint32_t kind;
    uint64_t count;
};

/* The paths that were passed to the file system, highest count first; with 'before', a copy of the
 * counters at an earlier moment, those since then. Returns how many. */
size_t lc_live_passed(const struct lc_live *live, const struct lc_live *before,
                      struct lc_passed_path out[LC_PASSED_PATHS]);

/* The last processes that had bindings to replay, those that refused most of them first. Returns
 * how many. */
size_t lc_live_processes(const struct lc_live *live, struct lc_live_process out[LC_LIVE_PROCESSES]);

/* The size of the file for so many entries, and of the part of it behind which all is 0 at first.
 */
size_t lc_live_size(uint32_t entries);
size_t lc_live_filled(uint32_t entries);
/* The content of that part. */
void lc_live_begin(struct lc_live *live, uint32_t entries);

#endif
