/* SPDX-License-Identifier: MIT */
/* edit.h - one file of a case is edited on its target: what does that cost the next job? */
#ifndef LC_BENCH_EDIT_H
#define LC_BENCH_EDIT_H

#include "bench/arm_ops.h"

/* Edit a module or library of the case, measure what the arm must do then (setup->edit_s), and undo
 * the edit. Returns true if something was edited: what was prepared is then out of date. */
bool lc_edit_measure(struct lc_arm_setup *setup);

#endif
