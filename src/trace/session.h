/* SPDX-License-Identifier: MIT */
/* session.h - state of a traced process tree, shared by run.c and loop.c */
#ifndef LC_TRACE_SESSION_H
#define LC_TRACE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/cpu_pairing.h"
#include "trace/trace.h"
#include "trace/tracee.h"

enum { LC_SESSION_ANNOUNCED = 256 };

struct lc_session {
    const struct lc_trace_options *options;
    struct lc_trace_outcome *outcome;
    lc_trace_fn fn;
    void *arg;
    struct lc_tracees tracees;
    struct lc_cpu_pairing pairing;
    pid_t program;
    bool has_filter;
    bool is_started;   /* the program's own execve has begun */
    bool is_over;      /* the program itself has ended */
    bool is_recording; /* false: calls are no longer reported */
    bool is_letting_go;
    bool is_ending; /* all processes were sent SIGTERM, see options->ends_program */
    bool has_told;  /* the user was told that other processes are still followed */
    pid_t announced[LC_SESSION_ANNOUNCED]; /* threads announced by their parent's event that have
                                              not stopped yet */
    unsigned announced_count;
    uint64_t start_ns, over_ns, ending_ns;
};

/* Follow the tree until no child is left; with 'while_recording' only until there is nothing more
 * to record. */
void lc_session_follow(struct lc_session *s, bool while_recording);

/* A thread or process has ended. */
void lc_session_note_end(struct lc_session *s, pid_t tid, int status);

#endif
