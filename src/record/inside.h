/* SPDX-License-Identifier: MIT */
/* inside.h - a pilot that tells of itself, for where ptrace is forbidden */
#ifndef LC_RECORD_INSIDE_H
#define LC_RECORD_INSIDE_H

#include "record/pilot.h"

/* Run pilot->argv with the objects that note its calls; its environment is set. Fills the outcome
 * as lc_trace_run does, and fails as that. */
int lc_inside_run(struct lc_pilot *pilot, struct lc_error *err);

/* The status of a program that was let go (--for), when it ends. */
int lc_inside_wait(struct lc_pilot *pilot);

#endif
