/* SPDX-License-Identifier: MIT */
/* pilot.h - run the program once and record what it uses
 *
 * System calls are traced by ptrace (trace/), library searches and symbol bindings by audit
 * objects. Where ptrace is forbidden, a preloaded object (client/pilot) logs the calls of libc
 * instead. */
#ifndef LC_RECORD_PILOT_H
#define LC_RECORD_PILOT_H

#include <stdbool.h>

#include "record/seen.h"
#include "trace/trace.h"

struct lc_pilot {
    char *const *argv;
    double for_s;      /* > 0: stop recording after so many seconds */
    double settle_s;   /* > 0: or when no new path was used for so long */
    bool ends_program; /* then end the program instead of letting it run on */
    pid_t group;       /* the program's process group; 0: ours */
    void (*waiting)(void *arg, unsigned threads); /* as in lc_trace_options; may be NULL */
    void *arg;
    bool no_bindings;        /* do not record bindings */
    bool no_ptrace;          /* record by a preloaded object instead of ptrace */
    bool in_place;           /* it is the user's own run: nothing of it may change */
    bool is_measured_inside; /* whether it can have our objects is found out while it is loaded:
                                client/audit/start_again.h */
    const char *log_dir;     /* where logs are made; NULL: in the temporary directory */
    bool keeps_logs;         /* logs that are read stay: the program goes on writing to them */
    /* Filled: */
    struct lc_seen *seen;
    struct lc_trace_outcome outcome;
    char audit[4096];    /* audit object that logs library searches; empty: not found */
    char search[4096];   /* its log */
    char capture[4096];  /* audit object that logs bindings; empty: not found or not wanted */
    char preload[4096];  /* the client: preloaded as in a run, so that bindings resolve to it */
    char bindings[4096]; /* directory of the bindings logs, one per process */
    const char *why_no_objects; /* why the program ran without our objects; NULL: it had them */
    bool is_unresolved; /* a library could not be loaded with all symbols bound immediately */
    bool is_started;    /* the program itself has been executed */
    char notes[4096];   /* no_ptrace: the preloaded object that logs calls */
    char calls[4096];   /* and its log */
    char lines[4096];   /* the part of it that is in memory; empty: none */
    pid_t program;
};

/* Find our objects, make the logs, and set this process's environment for the program. 0, or -1
 * with err filled. */
int lc_pilot_prepare(struct lc_pilot *pilot, struct lc_error *err);

/* In a pilot lc_pilot_prepare() calls this: note where the program is searched for. */
void lc_pilot_note_search(struct lc_pilot *pilot);

/* Run the program. Returns as lc_trace_run() (errno EPERM: ptrace is forbidden, nothing was run).
 * Changes the environment of this process: call it in a process of its own. */
int lc_pilot_run(struct lc_pilot *pilot, struct lc_error *err);

/* Wait for a program that still runs after recording, and return its wait status. */
int lc_pilot_wait(struct lc_pilot *pilot);

/* Read the library searches logged so far into pilot->seen, and remove the log (this and the next
 * two: unless keeps_logs). */
void lc_pilot_take_searches(struct lc_pilot *pilot);

/* no_ptrace: how much was logged so far: more with each recorded call. 0: there is no log. */
off_t lc_pilot_logged_bytes(const struct lc_pilot *pilot);

/* no_ptrace: read the logged calls into pilot->seen, and remove the log. 0, or -1 with err filled;
 * the lines before a damaged one are used. */
int lc_pilot_take_calls(struct lc_pilot *pilot, struct lc_error *err);

/* Read the bindings logs into pilot->seen, and remove them. 0, or -1 with err filled: the image
 * will have no bindings. */
int lc_pilot_take_bindings(struct lc_pilot *pilot, struct lc_error *err);

/* Remove all logs that still exist. */
void lc_pilot_clear(struct lc_pilot *pilot);

#endif
