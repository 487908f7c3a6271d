/* SPDX-License-Identifier: MIT */
/* arm_table.h - what to tell users: the arms of one case on one target side by side */
#ifndef LC_REPORT_ARM_TABLE_H
#define LC_REPORT_ARM_TABLE_H

#include "report/report.h"

enum { LC_ARM_ROWS = 16 };

/* The arms at the largest width that more than one arm was measured at, fastest first. */
struct lc_arm_table {
    const struct lc_report_point *row[LC_ARM_ROWS];
    size_t rows;
    long ranks;
};
struct lc_arm_table lc_arm_table_make(const struct lc_view *view, const char *target);

/* Call 'fn' with the table of each target of a view that has one. */
typedef void lc_arm_table_fn(void *arg, const struct lc_arm_table *table);
void lc_arm_tables_of(const struct lc_view *view, lc_arm_table_fn *fn, void *arg);

/* "Loadcast" for "loadcast"; any other arm by its own name. */
const char *lc_arm_words(const char *with);
/* What an arm needs on the nodes; "" if it is unknown. */
const char *lc_arm_needs(const char *with);

#endif
