/* SPDX-License-Identifier: MIT */
/* quantile.c - medians and quantiles */
#include "util/quantile.h"

#include <math.h>
#include <stdlib.h>

static int compare_values(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void lc_sort_values(double *value, size_t count)
{
    if (count > 1)
        qsort(value, count, sizeof(*value), compare_values);
}

double lc_quantile(const double *sorted, size_t count, double share)
{
    if (count == 0)
        return NAN;
    double at = share * (double)(count - 1);
    size_t below = (size_t)at;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

double lc_tail_quantile(const double *sorted, size_t count, double share)
{
    double rank = ceil(share * (double)count);

    if (count == 0)
        return NAN;
    return sorted[rank < 1 ? 0 : (size_t)rank - 1];
}
