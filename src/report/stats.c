/* SPDX-License-Identifier: MIT */
/* stats.c - medians, quantiles and a rank test */
#include "report/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/quantile.h"

void lc_numbers_add(struct lc_numbers *list, double value)
{
    if (isnan(value))
        return;
    if (list->n == list->room) {
        size_t more = list->room ? list->room * 2 : 8;
        double *bigger = realloc(list->v, more * sizeof(*bigger));
        if (!bigger)
            return;
        list->v = bigger;
        list->room = more;
    }
    list->v[list->n++] = value;
}

void lc_numbers_sort(struct lc_numbers *list)
{
    lc_sort_values(list->v, list->n);
}

void lc_numbers_free(struct lc_numbers *list)
{
    free(list->v);
    *list = (struct lc_numbers){0};
}

double lc_numbers_quantile(const struct lc_numbers *sorted, double q)
{
    return lc_quantile(sorted->v, sorted->n, q);
}

double lc_median(const struct lc_numbers *sorted)
{
    return lc_numbers_quantile(sorted, 0.5);
}

/* Counts the pairs in which a number of b is larger than one of a; a tie counts half. *ties gets
 * the sum of t^3 - t over groups of t equal numbers. Both lists are sorted. */
static double larger_count(const struct lc_numbers *a, const struct lc_numbers *b, double *ties)
{
    size_t i = 0, k = 0;
    double larger = 0;

    *ties = 0;
    while (i < a->n || k < b->n) {
        double value = k == b->n || (i < a->n && a->v[i] <= b->v[k]) ? a->v[i] : b->v[k];
        size_t in_a = 0, in_b = 0;
        while (i + in_a < a->n && a->v[i + in_a] == value)
            in_a++;
        while (k + in_b < b->n && b->v[k + in_b] == value)
            in_b++;
        double t = (double)(in_a + in_b);
        larger += (double)in_b * ((double)i + (double)in_a / 2);
        *ties += t * t * t - t;
        i += in_a;
        k += in_b;
    }
    return larger;
}

enum { EXACT = 20 }; /* up to so many numbers in each list the exact distribution is computed */

/* The share of all orders of m and n numbers in which U is at most 'u'. ways[u] counts the orders
 * of m and k numbers, k growing to n. */
static double exact_tail(size_t m, size_t n, double u)
{
    double ways[EXACT * EXACT + 1] = {1}, all = 0, tail = 0;

    for (size_t k = 1; k <= n; k++) { /* multiply by (1 - x^(m+k)) / (1 - x^k) */
        for (size_t i = m * n; i >= m + k; i--)
            ways[i] -= ways[i - m - k];
        for (size_t i = k; i <= m * n; i++)
            ways[i] += ways[i - k];
    }
    for (size_t i = 0; i <= m * n; i++) {
        all += ways[i];
        tail += (double)i <= u ? ways[i] : 0;
    }
    return tail / all;
}

static double normal_tail(double m, double n, double u, double ties)
{
    double all = m + n, mean = m * n / 2;
    double variance = m * n / 12 * (all + 1 - ties / (all * (all - 1)));

    if (variance <= 0)
        return 0.5;
    double z = (fabs(u - mean) - 0.5) / sqrt(variance);
    return 0.5 * erfc((z > 0 ? z : 0) / M_SQRT2);
}

struct lc_rank_test lc_rank_test(const struct lc_numbers *a, const struct lc_numbers *b)
{
    double ties, pairs = (double)a->n * (double)b->n, u = larger_count(a, b, &ties);
    double smaller = u < pairs - u ? u : pairs - u;
    double tail = ties == 0 && a->n <= EXACT && b->n <= EXACT
                      ? exact_tail(a->n, b->n, smaller)
                      : normal_tail((double)a->n, (double)b->n, u, ties);

    return (struct lc_rank_test){.p = tail > 0.5 ? 1 : 2 * tail,
                                 .effect = (2 * u - pairs) / pairs,
                                 .ratio = lc_median(b) / lc_median(a)};
}

double lc_rank_test_min_p(size_t a, size_t b)
{
    if (a == 0 || b == 0)
        return 1;
    double p = 2;
    for (size_t i = 1; i <= b; i++) /* 2 / (a + b choose b) */
        p *= (double)i / (double)(a + i);
    return p > 1 ? 1 : p;
}
