/* SPDX-License-Identifier: MIT */
/* calls.h - which system calls are file-system calls, and where their arguments are */
#ifndef LC_TRACE_CALLS_H
#define LC_TRACE_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/trace.h"

enum { LC_CALL_NONE = -1 };
enum { LC_CALLS_MOST = 240 };              /* a BPF jump is 8 bits wide */
enum { LC_TRACE_SILENT = LC_TRACE_KINDS }; /* a kind that is never reported */

/* Argument positions; LC_CALL_NONE where a call has no such argument. */
struct lc_call {
    const char *name;
    int number;
    int kind;                  /* enum lc_trace_kind, or LC_TRACE_SILENT */
    signed char dirfd, path;   /* a path, relative to dirfd (or to the working directory) */
    signed char dirfd2, path2; /* the call's second path and its directory */
    signed char fd;            /* a call on a descriptor */
    signed char flags;
};

/* May a call tell of a path something that the calls which opened it by name did not? Not by data
 * read or mapped, nor by the stat of a descriptor. */
bool lc_call_tells_names(const struct lc_call *call);

const struct lc_call *lc_call_find(long number); /* NULL: not in the table */
const struct lc_call *lc_call_table(size_t *count);

#endif
