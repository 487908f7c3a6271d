/* SPDX-License-Identifier: MIT */
/* trace_view.h - the results of a trace, printed as tables or written as JSON */
#ifndef LC_CMD_TRACE_VIEW_H
#define LC_CMD_TRACE_VIEW_H

#include <stdio.h>

#include "predict/machine.h"
#include "trace/summary.h"
#include "trace/trace.h"

struct lc_trace_view {
    char **argv; /* of the program */
    struct lc_trace_outcome outcome;
    struct lc_summary summary;
    const char *under; /* directory below which requests are counted, as given; NULL: all */
    struct lc_machine_model machine; /* to which the trace is extrapolated */
    long *ranks;
    size_t rank_count;
};

enum { LC_TRACE_WORST_DIRS = 10 };

void lc_trace_print(const struct lc_trace_view *view, FILE *out);

/* Write the JSON to a file, or to standard output for "-". 0, or -1 with err filled. */
int lc_trace_write_json(const struct lc_trace_view *view, char *const command[], const char *file,
                        struct lc_error *err);

#endif
