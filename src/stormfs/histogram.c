/* SPDX-License-Identifier: MIT */
/* histogram.c - durations in buckets: the first 32 one nanosecond wide, then 32 per doubling */
#include "stormfs/histogram.h"

#include <math.h>

static unsigned bucket_of(uint64_t ns)
{
    if (ns < LC_HISTOGRAM_SUB)
        return (unsigned)ns;
    unsigned shift = 63u - (unsigned)__builtin_clzll(ns) - 5; /* 2^5 buckets per doubling */
    unsigned index = (shift + 1) * LC_HISTOGRAM_SUB + (unsigned)(ns >> shift) - LC_HISTOGRAM_SUB;
    return index < LC_HISTOGRAM_BUCKETS ? index : LC_HISTOGRAM_BUCKETS - 1;
}

/* The largest value that falls into a bucket. */
static uint64_t bucket_end(unsigned index)
{
    if (index < LC_HISTOGRAM_SUB)
        return index;
    unsigned shift = index / LC_HISTOGRAM_SUB - 1;
    uint64_t from = (uint64_t)(index % LC_HISTOGRAM_SUB + LC_HISTOGRAM_SUB) << shift;
    return from + ((uint64_t)1 << shift) - 1;
}

static void max_raise(_Atomic uint64_t *max, uint64_t value)
{
    uint64_t seen = atomic_load_explicit(max, memory_order_relaxed);

    while (seen < value && !atomic_compare_exchange_weak(max, &seen, value))
        ;
}

void lc_histogram_add(struct lc_histogram *h, uint64_t ns)
{
    atomic_fetch_add_explicit(&h->count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&h->sum_ns, ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&h->bucket[bucket_of(ns)], 1, memory_order_relaxed);
    max_raise(&h->max_ns, ns);
}

void lc_histogram_reset(struct lc_histogram *h)
{
    for (unsigned i = 0; i < LC_HISTOGRAM_BUCKETS; i++)
        atomic_store_explicit(&h->bucket[i], 0, memory_order_relaxed);
    atomic_store(&h->count, 0);
    atomic_store(&h->sum_ns, 0);
    atomic_store(&h->max_ns, 0);
}

double lc_histogram_mean_ns(const struct lc_histogram *h)
{
    uint64_t n = atomic_load(&h->count);

    return n ? (double)atomic_load(&h->sum_ns) / (double)n : 0;
}

uint64_t lc_histogram_quantile_ns(const struct lc_histogram *h, double fraction)
{
    uint64_t seen = 0, max = atomic_load(&h->max_ns);
    double want = ceil((double)atomic_load(&h->count) * fraction);

    for (unsigned i = 0; i < LC_HISTOGRAM_BUCKETS; i++) {
        seen += atomic_load_explicit(&h->bucket[i], memory_order_relaxed);
        if (seen > 0 && (double)seen >= want)
            return bucket_end(i) < max ? bucket_end(i) : max;
    }
    return max;
}
