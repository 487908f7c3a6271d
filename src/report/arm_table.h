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
    /* Arms that have no value at that width: left out because the machine does not have them, or
     * failed. */
    const struct lc_report_point *missing[LC_ARM_ROWS];
    size_t missings;
};
struct lc_arm_table lc_arm_table_make(const struct lc_view *view, const char *target);

/* Call 'fn' with the table of each target of a view that has one. */
typedef void lc_arm_table_fn(void *arg, const struct lc_arm_table *table);
void lc_arm_tables_of(const struct lc_view *view, lc_arm_table_fn *fn, void *arg);

/* Why an arm has no value; never NULL. */
const char *lc_arm_reason(const struct lc_report_point *missing);

/* How long the server of a stormfs was busy with each arm, as charged and, where that differs, as
 * if nothing were charged once per job. Adds nothing where no arm was measured on one. */
void lc_arm_table_busy(const struct lc_arm_table *table, struct lc_buf *out);

/* "Loadcast" for "loadcast"; any other arm by its own name. */
const char *lc_arm_words(const char *with);
/* What an arm needs on the nodes; "" if it is unknown. */
const char *lc_arm_needs(const char *with);

#endif
