/* SPDX-License-Identifier: MIT */
/* ranking.h - private to src/report: the targets of a case from best to worst */
#ifndef LC_REPORT_RANKING_H
#define LC_REPORT_RANKING_H

#include "report/report.h"

/* One target; a point is NULL where it was not measured at this width. */
struct lc_ranked {
    const char *target;
    const struct lc_report_point *plain, *loadcast;
    double by_s;       /* the time by which targets are ranked; NAN: not measured, ranked last */
    double times_best; /* by_s divided by that of the best target */
};

struct lc_ranking {
    long ranks;     /* the number of ranks that most targets have; the largest of those */
    const char *by; /* "plain"; "loadcast" if nothing was measured plain */
    struct lc_ranked *row;
    size_t rows;
};

/* Ranks the targets of a view. No rows if it has fewer than two targets, or if out of memory. Free
 * with lc_ranking_free. */
struct lc_ranking lc_ranking_make(const struct lc_view *view);
void lc_ranking_free(struct lc_ranking *ranking);

#endif
