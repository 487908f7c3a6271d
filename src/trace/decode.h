/* SPDX-License-Identifier: MIT */
/* decode.h - make an event from a stopped thread's registers and memory */
#ifndef LC_TRACE_DECODE_H
#define LC_TRACE_DECODE_H

#include "trace/tracee.h"

/* Is this the stat of a descriptor: one without a path? */
bool lc_decode_is_stat_of_descriptor(pid_t tid, const struct lc_call *call, const uint64_t args[6]);

/* Read the arguments of a call in the table, at its start. False if it need not be followed (an
 * anonymous mmap); t->call is then NULL. */
bool lc_decode_entry(struct lc_tracee *t, const struct lc_call *call, const uint64_t args[6]);

/* The call has ended: fill *event (its strings belong to t) and clear t->call. */
void lc_decode_exit(struct lc_tracee *t, long result, struct lc_trace_event *event);

#endif
