/* SPDX-License-Identifier: MIT */
/* stats.c - medians and their intervals */
#include "bench/stats.h"

#include <math.h>

#include "util/quantile.h"

double lc_stats_median(double *value, size_t count)
{
    lc_sort_values(value, count);
    return lc_quantile(value, count, 0.5);
}

/* Values below the median are as heads of a fair coin: the interval leaves out so many at each end
 * that more heads or tails than that have a chance of 2.5 % at most. */
bool lc_stats_interval(double *value, size_t count, double *low, double *high)
{
    double log_chance = -(double)count * log(2), sum = exp(log_chance);
    size_t out = 0;

    if (sum > 0.025)
        return false;
    for (size_t k = 1; k <= count; k++) { /* chance of exactly k heads, from that of k - 1 */
        log_chance += log((double)(count - k + 1)) - log((double)k);
        if (sum + exp(log_chance) > 0.025)
            break;
        sum += exp(log_chance);
        out = k;
    }
    lc_sort_values(value, count);
    *low = value[out];
    *high = value[count - 1 - out];
    return true;
}

bool lc_stats_is_settled(double *value, size_t count, double precision)
{
    double low, high;

    if (!lc_stats_interval(value, count, &low, &high))
        return false;
    double median = lc_stats_median(value, count);
    return median - low <= precision * median && high - median <= precision * median;
}
