/* SPDX-License-Identifier: MIT */
/* pilot.h - run the program once, watch it from outside (trace) and from ld.so's seam (audit) */
#ifndef LC_RECORD_PILOT_H
#define LC_RECORD_PILOT_H

#include "record/seen.h"
#include "trace/trace.h"

struct lc_pilot {
    char *const *argv;
    double for_s;                                 /* > 0: let go after so many seconds */
    pid_t group;                                  /* the program's process group; 0: ours */
    void (*waiting)(void *arg, unsigned threads); /* as in lc_trace_options; may be NULL */
    void *arg;
    /* Filled: */
    struct lc_seen *seen;
    struct lc_trace_outcome outcome;
    char audit[4096];  /* our audit object; empty: not found, no search table */
    char search[4096]; /* its log */
};

/* As lc_trace_run. The environment of this process is changed: to be called in a keeper. */
int lc_pilot_run(struct lc_pilot *pilot, struct lc_error *err);

/* Take in what the audit object wrote so far, and remove its log. */
void lc_pilot_take_searches(struct lc_pilot *pilot);

#endif
