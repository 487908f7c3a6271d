/* SPDX-License-Identifier: MIT */
/* rescue.h - a run that has ended and cannot be written into its database */
#ifndef LC_RESULTS_RESCUE_H
#define LC_RESULTS_RESCUE_H

#include "results/db.h"

/* Keep 'end', a run that was reserved in 'r', as a spool file: beside the database, or where
 * temporary files go if that is full. 'err', which says why it could not be written, goes on to say
 * where it is and how to bring it in; it is left as it is if nothing could be done. */
void lc_rescue(const struct lc_results *r, const struct lc_run *end, struct lc_error *err);

#endif
