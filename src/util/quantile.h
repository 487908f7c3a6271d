/* SPDX-License-Identifier: MIT */
/* quantile.h - medians and quantiles, with one definition for measuring and reporting
 *
 * Interpolates between two values, as R's type 7 and numpy's default do. */
#ifndef LC_UTIL_QUANTILE_H
#define LC_UTIL_QUANTILE_H

#include <stddef.h>

void lc_sort_values(double *value, size_t count);

/* The quantile of sorted values: the value below which a share (0 to 1) of them lies; NAN if there
 * are none. */
double lc_quantile(const double *sorted, size_t count, double share);

/* For tails of few values: the smallest value such that at least that share of them is not larger
 * (nearest rank). Interpolation would hide the one slow answer of twenty. NAN if there are none. */
double lc_tail_quantile(const double *sorted, size_t count, double share);

#endif
