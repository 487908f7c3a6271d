/* SPDX-License-Identifier: MIT */
/* counters.h - the client's counters, read by status and exec --stats */
#ifndef LC_STAGE_COUNTERS_H
#define LC_STAGE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/format.h"

/* One counter's name in JSON, and what a person reads. */
struct lc_count_name {
    const char *key, *text;
};

/* By enum lc_count_kind. */
extern const struct lc_count_name lc_count_names[LC_COUNTS];

bool lc_count_is_passed(int kind);   /* asked the real file system */
bool lc_count_is_answered(int kind); /* from node memory */

/* Counters at one moment. */
struct lc_counts {
    uint64_t count[LC_COUNTS];
    uint64_t bytes_opened;
};

struct lc_counts lc_live_read(const struct lc_live *live);
struct lc_counts lc_live_since(const struct lc_live *live, const struct lc_counts *before);

/* A passed-through path, copied. */
struct lc_passed_path {
    char path[LC_PASSED_LEN];
    uint32_t kind;
    uint64_t count;
};

/* The passed-through paths, most often asked first; with 'before', a copy of the same at an earlier
 * moment, those asked since. Returns how many. */
size_t lc_live_passed(const struct lc_live *live, const struct lc_live *before,
                      struct lc_passed_path out[LC_PASSED_PATHS]);

/* The processes that had bindings to replay, as far as they are remembered: those that refused most
 * first. Returns how many. */
size_t lc_live_processes(const struct lc_live *live, struct lc_live_process out[LC_LIVE_PROCESSES]);

/* Size of a 'live' for so many entries, and its first content. */
size_t lc_live_size(uint32_t entries);
void lc_live_begin(struct lc_live *live, uint32_t entries);

#endif
