/* SPDX-License-Identifier: MIT */
/* regressions.h - private to src/report: what became slower and has stayed so, over all targets */
#ifndef LC_REPORT_REGRESSIONS_H
#define LC_REPORT_REGRESSIONS_H

#include "report/report.h"

/* A series (one case, mode, target, cache, plain or Loadcast) that is slower at some widths. */
struct lc_regression {
    const struct lc_report_point
        *point;     /* of its slower points the one with most ranks; its times are shown */
    char ranks[64]; /* of all slower points: "4, 16, 64" */
};

struct lc_regressions {
    struct lc_regression *series; /* the worst first */
    size_t count;
    const struct lc_report_point **point; /* every slower point, the worst first */
    size_t points;
};

/* 0, or -1: out of memory. Free either way. */
int lc_regressions_find(const struct lc_report *report, struct lc_regressions *out);
void lc_regressions_free(struct lc_regressions *regressions);

/* "Slower than before on scratch: 3 of 16 series, by up to 40 %, since 2026-11-01.": one sentence
 * for each target that has any, the worst first; the day is that of its worst series. */
void lc_regressions_describe(const struct lc_report *report,
                             const struct lc_regressions *regressions,
                             void (*tell)(void *arg, const char *sentence), void *arg);

#endif
