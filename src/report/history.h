/* SPDX-License-Identifier: MIT */
/* history.h - private to src/report: outliers and slow-downs in the history of a point */
#ifndef LC_REPORT_HISTORY_H
#define LC_REPORT_HISTORY_H

#include "report/report.h"

/* Marks outliers (far from the median of the runs around them) and the runs from which on the point
 * was slower, and finds the slow-down that still lasts. The runs must be ordered by time. */
void lc_history_mark(struct lc_report_point *point);

#endif
