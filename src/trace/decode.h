/* SPDX-License-Identifier: MIT */
/* decode.h - from a stopped thread's registers and memory to an event */
#ifndef LC_TRACE_DECODE_H
#define LC_TRACE_DECODE_H

#include "trace/tracee.h"

/* The thread stands before a call of the table: read its arguments. False: not worth following
 * (an anonymous mmap); t->call stays NULL. */
bool lc_decode_entry(struct lc_tracee *t, const struct lc_call *call, const uint64_t args[6]);

/* The call has ended: fill *event (strings belong to t) and forget the call. */
void lc_decode_exit(struct lc_tracee *t, long result, struct lc_trace_event *event);

#endif
