/* SPDX-License-Identifier: MIT */
/* tracee.h - the table of traced threads, with the state of each one's call */
#ifndef LC_TRACE_TRACEE_H
#define LC_TRACE_TRACEE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/calls.h"

/* Strings of the call in progress; allocated separately, since most threads never need them. */
struct lc_call_text {
    char given[PATH_MAX + 1];
    char path[2 * PATH_MAX + 64];
    char second[2 * PATH_MAX + 64];
    char real[PATH_MAX + 64];
};

struct lc_tracee {
    struct lc_tracee *next;
    pid_t tid, pid, parent;
    const struct lc_call *call; /* in progress; NULL: none */
    uint64_t args[6];
    uint64_t flags;
    bool has_given, has_second;
    bool is_held;    /* a new thread that waits for its parent's event */
    bool in_syscall; /* without a filter: the next stop is the end of a call */
    struct lc_call_text *text;
};

enum { LC_TRACEE_BUCKETS = 1024 };

struct lc_tracees {
    struct lc_tracee *bucket[LC_TRACEE_BUCKETS];
    unsigned alive;
    unsigned threads_seen, processes_seen;
};

struct lc_tracee *lc_tracee_find(struct lc_tracees *all, pid_t tid); /* NULL: unknown */
struct lc_tracee *lc_tracee_add(struct lc_tracees *all, pid_t tid);  /* NULL with ENOMEM */
void lc_tracee_remove(struct lc_tracees *all, pid_t tid);
void lc_tracee_remove_all(struct lc_tracees *all);

#endif
