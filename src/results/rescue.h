/* SPDX-License-Identifier: MIT */
/* rescue.h - keep a run that cannot be written to its database */
#ifndef LC_RESULTS_RESCUE_H
#define LC_RESULTS_RESCUE_H

#include "results/db.h"

/* Writes 'end', a run that was reserved in 'r', to a spool file: beside the database, or in TMPDIR
 * if that fails. 'err' holds the reason why the database could not be written; where the spool file
 * is and how to merge it is appended. If no spool file could be written, 'err' does not change. */
void lc_run_rescue(const struct lc_results *r, const struct lc_run *end, struct lc_error *err);

#endif
