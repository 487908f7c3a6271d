/* SPDX-License-Identifier: MIT */
/* read.h - read runs from the results database */
#ifndef LC_RESULTS_READ_H
#define LC_RESULTS_READ_H

#include "results/results.h"

/* Which runs to read. A member that is NULL or 0 does not restrict. */
struct lc_run_filter {
    long id;
    const char *suite, *name, *mode, *target, *with, *cache, *status;
    long ranks;
    int64_t since_ns, until_ns; /* time of start: since <= start < until */
    long last;                  /* only the newest so many of them */
};

/* Which parts of each run to read; the others stay empty. */
enum {
    LC_READ_PLACE = 1,
    LC_READ_PHASES = 2,
    LC_READ_SAMPLES = 4, /* needs LC_READ_PHASES */
    LC_READ_METRICS = 8,
    LC_READ_ALL = 15,
};

/* Called for each run, in the order of ids. The run is valid until the function returns. A value
 * other than 0 ends the reading. */
typedef int lc_run_fn(void *arg, const struct lc_run *run);

/* 0, what 'fn' returned, or -1 with err filled. */
int lc_results_each(const struct lc_results *results, const struct lc_run_filter *filter,
                    unsigned what, lc_run_fn *fn, void *arg, struct lc_error *err);

#endif
