/* SPDX-License-Identifier: MIT */
/* log.h - write and read events as text, one per line; the format is in doc/trace-log.md */
#ifndef LC_TRACE_LOG_H
#define LC_TRACE_LOG_H

#include <stdio.h>

#include "trace/trace.h"

void lc_trace_log_head(FILE *out, char *const argv[]);
void lc_trace_log_event(FILE *out, const struct lc_trace_event *event);

/* Read a log back, calling fn for each event. 0, or -1 with err filled (naming the line). */
int lc_trace_log_read(FILE *in, const char *name, lc_trace_fn fn, void *arg, struct lc_error *err);

#endif
