/* SPDX-License-Identifier: MIT */
/* pilot.h - run the program once, watch it from outside (trace) and from ld.so's seam (audit);
 * where ptrace is forbidden, from libc's seam (client/pilot) instead of from outside */
#ifndef LC_RECORD_PILOT_H
#define LC_RECORD_PILOT_H

#include <stdbool.h>

#include "record/seen.h"
#include "trace/trace.h"

struct lc_pilot {
    char *const *argv;
    double for_s;                                 /* > 0: let go after so many seconds */
    double settle_s;                              /* > 0: or when so long nothing new was asked */
    bool ends_program;                            /* then end it instead of letting it go */
    pid_t group;                                  /* the program's process group; 0: ours */
    void (*waiting)(void *arg, unsigned threads); /* as in lc_trace_options; may be NULL */
    void *arg;
    bool no_bindings; /* record none */
    bool is_inside;   /* the program tells of itself: not by ptrace */
    /* Filled: */
    struct lc_seen *seen;
    struct lc_trace_outcome outcome;
    char audit[4096];     /* our audit object; empty: not found, no search table */
    char search[4096];    /* its log */
    char capture[4096];   /* our recorder of bindings; empty: not found, or not wanted */
    char preload[4096];   /* the client's, which bindings shall point at, not past it */
    char bindings[4096];  /* directory of the recorder's logs */
    const char *why_bare; /* why the program got none of our objects; NULL: it got them */
    bool is_unresolved;   /* a library could not be opened with all its symbols bound at once */
    bool is_started;      /* the program itself has been executed */
    char notes[4096];     /* is_inside: our object that notes calls */
    char calls[4096];     /* and its log */
    pid_t program;
};

/* As lc_trace_run (errno EPERM: ptrace is forbidden, and nothing was run). The environment of this
 * process is changed: to be called in a keeper. */
int lc_pilot_run(struct lc_pilot *pilot, struct lc_error *err);

/* The status of a program that was let go, when it ends. */
int lc_pilot_wait(struct lc_pilot *pilot);

/* Take in what the audit object wrote so far, and remove its log. */
void lc_pilot_take_searches(struct lc_pilot *pilot);

/* The same for the calls of a program that told of itself. 0, or -1 with err filled: what stands
 * before the damage was taken. */
int lc_pilot_take_calls(struct lc_pilot *pilot, struct lc_error *err);

/* The same for bindings. 0, or -1 with err filled: the image will have none. */
int lc_pilot_take_bindings(struct lc_pilot *pilot, struct lc_error *err);

/* Remove the logs, whatever happened. */
void lc_pilot_clear(struct lc_pilot *pilot);

#endif
