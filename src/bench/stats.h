/* SPDX-License-Identifier: MIT */
/* stats.h - medians and their confidence intervals */
#ifndef LC_BENCH_STATS_H
#define LC_BENCH_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* The median; NAN if there are no values. Sorts the array. */
double lc_stats_median(double *value, size_t count);

/* The 95 % interval of the median, by order statistics: no assumption about how times are
 * distributed. False if there are too few values for one (below 6). Sorts. */
bool lc_stats_interval(double *value, size_t count, double *low, double *high);

/* Is the interval within +-'precision' of the median? */
bool lc_stats_is_settled(double *value, size_t count, double precision);

#endif
