/* SPDX-License-Identifier: MIT */
/* history.h - private to src/report: what stands out in the history of a point */
#ifndef LC_REPORT_HISTORY_H
#define LC_REPORT_HISTORY_H

#include "report/report.h"

/* Mark outliers (far from the median of the runs around them) and the runs from which on it was
 * slower; find the slow-down that still lasts. The runs stand by time. */
void lc_history_mark(struct lc_report_point *point);

#endif
