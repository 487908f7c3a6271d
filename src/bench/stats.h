/* SPDX-License-Identifier: MIT */
/* stats.h - medians, and how well repetitions know theirs */
#ifndef LC_BENCH_STATS_H
#define LC_BENCH_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Of values in any order; NAN of none. The array is sorted by the call. */
double lc_stats_median(double *value, size_t count);

/* The value below which a share of them lies (util/quantile.h). The array is sorted by the call. */
double lc_stats_quantile(double *value, size_t count, double share);

/* The 95 % interval of the median, by order statistics: no assumption about how times are
 * distributed. False if there are too few values for one (below 6). Sorts. */
bool lc_stats_interval(double *value, size_t count, double *low, double *high);

/* Is the interval within +-'precision' of the median? */
bool lc_stats_is_settled(double *value, size_t count, double precision);

#endif
