/* SPDX-License-Identifier: MIT */
/* pilot_no_ptrace.h - run the pilot where ptrace is forbidden */
#ifndef LC_RECORD_PILOT_NO_PTRACE_H
#define LC_RECORD_PILOT_NO_PTRACE_H

#include "record/pilot.h"

/* Run pilot->argv; a preloaded object (client/pilot) logs its calls. The environment must be set.
 * Fills the outcome, and fails, as lc_trace_run() does. */
int lc_pilot_run_no_ptrace(struct lc_pilot *pilot, struct lc_error *err);

/* Wait for a program that still runs (--for) and return its wait status. */
int lc_pilot_wait_no_ptrace(struct lc_pilot *pilot);

#endif
