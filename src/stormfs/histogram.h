/* SPDX-License-Identifier: MIT */
/* histogram.h - durations in buckets no wider than 1/32 of their value
 *
 * Only atomics, no pointers, so that it can be used in memory that processes share. */
#ifndef LC_STORMFS_HISTOGRAM_H
#define LC_STORMFS_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

enum {
    LC_HISTOGRAM_SUB = 32,                        /* buckets per doubling */
    LC_HISTOGRAM_BUCKETS = 40 * LC_HISTOGRAM_SUB, /* up to 2^44 ns, about 5 hours */
};

struct lc_histogram {
    _Atomic uint64_t count;
    _Atomic uint64_t sum_ns;
    _Atomic uint64_t max_ns;
    _Atomic uint64_t bucket[LC_HISTOGRAM_BUCKETS];
};

void lc_histogram_add(struct lc_histogram *h, uint64_t ns);
void lc_histogram_reset(struct lc_histogram *h);

double lc_histogram_mean_ns(const struct lc_histogram *h);
/* The quantile at 'fraction' (0 to 1): the upper end of its bucket, at most the maximum. */
uint64_t lc_histogram_quantile_ns(const struct lc_histogram *h, double fraction);

#endif
