/* SPDX-License-Identifier: MIT */
/* read.h - runs out of the results database */
#ifndef LC_RESULTS_READ_H
#define LC_RESULTS_READ_H

#include "results/results.h"

/* Which runs; what is NULL or 0 does not restrict. */
struct lc_run_filter {
    long id;
    const char *suite, *name, *mode, *target, *with, *cache, *status;
    long ranks;
    int64_t since_ns, until_ns; /* when it was started; until is not included */
    long last;                  /* of those only so many, the newest */
};

/* How much of each; the rest stays empty. */
enum {
    LC_READ_PLACE = 1,
    LC_READ_PHASES = 2,
    LC_READ_SAMPLES = 4, /* with phases */
    LC_READ_METRICS = 8,
    LC_READ_ALL = 15,
};

/* Called for each run by id; the run is valid until it returns. Not 0 ends the reading. */
typedef int lc_run_fn(void *arg, const struct lc_run *run);

/* 0, what 'fn' returned, or -1 with err filled. */
int lc_results_each(const struct lc_results *results, const struct lc_run_filter *filter,
                    unsigned what, lc_run_fn *fn, void *arg, struct lc_error *err);

#endif
