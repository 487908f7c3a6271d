/* SPDX-License-Identifier: MIT */
/* fit_child.h - which of our objects a program that the pilot starts can have */
#ifndef LC_RECORD_FIT_CHILD_H
#define LC_RECORD_FIT_CHILD_H

#include "record/pilot.h"

/* The traced process 'tid' stands before a new program's first instruction. Change its environment
 * so that it can start: without our objects, or with room for its thread variables. */
void lc_record_fit_child(struct lc_pilot *pilot, pid_t tid);

#endif
