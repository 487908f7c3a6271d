/* SPDX-License-Identifier: MIT */
/* stats.h - statistics of repeated measurements
 *
 * Loading times have heavy tails and few repetitions: everything here uses medians and ranks,
 * nothing uses means. */
#ifndef LC_REPORT_STATS_H
#define LC_REPORT_STATS_H

#include <stddef.h>

/* A growing list of numbers; starts zeroed. After an allocation failed nothing is added. */
struct lc_numbers {
    double *v;
    size_t n, room;
};

void lc_numbers_add(struct lc_numbers *list, double value); /* NAN is not added */
void lc_numbers_sort(struct lc_numbers *list);
void lc_numbers_free(struct lc_numbers *list);

/* Of sorted numbers: quantile q (0 to 1) with interpolation; NAN if there are none. */
double lc_numbers_quantile(const struct lc_numbers *sorted, double q);
double lc_median(const struct lc_numbers *sorted);

/* Are the numbers of b larger than those of a? */
struct lc_rank_test {
    double p;      /* Mann-Whitney, two-sided: exact for small samples without ties */
    double effect; /* Cliff's delta: 1 all of b are larger, 0 no difference, -1 all are smaller */
    double ratio;  /* median of b / median of a */
};

/* Both sorted and not empty. */
struct lc_rank_test lc_rank_test(const struct lc_numbers *a, const struct lc_numbers *b);

/* The smallest p that the test can give for samples of these sizes. */
double lc_rank_test_min_p(size_t a, size_t b);

#endif
