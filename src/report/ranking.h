/* SPDX-License-Identifier: MIT */
/* ranking.h - private to src/report: the targets of a case from best to worst */
#ifndef LC_REPORT_RANKING_H
#define LC_REPORT_RANKING_H

#include "report/report.h"

/* One target; a point is NULL where it was not measured at this width. */
struct lc_ranked {
    const char *target;
    const struct lc_report_point *plain, *loadcast;
    double by_s;       /* what decides; NAN: not measured, it stands last */
    double times_best; /* by_s to that of the best */
};

struct lc_ranking {
    long ranks;     /* the width that most targets have; of those the widest */
    const char *by; /* "plain"; "loadcast" if nothing was measured plain */
    struct lc_ranked *row;
    size_t rows;
};

/* Of a view. 0 rows if it has fewer than two targets, or out of memory. Free it. */
struct lc_ranking lc_ranking_make(const struct lc_view *view);
void lc_ranking_free(struct lc_ranking *ranking);

#endif
