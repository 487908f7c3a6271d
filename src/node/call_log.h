/* SPDX-License-Identifier: MIT */
/* call_log.h - the pilot's own calls as lines of a trace log (doc/trace-log.md), for where ptrace
 * is forbidden. Freestanding; safe in signal handlers and vfork children: no allocation but mmap,
 * no lock, no descriptor left open, errno untouched. */
#ifndef LC_NODE_CALL_LOG_H
#define LC_NODE_CALL_LOG_H

#include <stdbool.h>
#include <stdint.h>

#define LC_PILOT_VARIABLE "LOADCAST_CALL_LOG" /* the log's name in the environment */

struct lc_pilot_call {
    const char *call; /* as the trace log names it */
    long result;      /* or a negative errno */
    int dirfd;        /* where a relative path starts; -100 (AT_FDCWD): the working directory */
    const char *path; /* NULL: what dirfd is */
    uint64_t flags;
    bool writes;
    int second_dirfd;
    const char *second; /* rename's and link's new path; NULL: none */
    const char *real;   /* of an exec; NULL: as 'path' */
};

/* Where to: a file that exists. Until then nothing is noted. False if the name is too long. */
bool lc_pilot_log_to(const char *file);

/* Append one line by one write, once. */
void lc_pilot_note(const struct lc_pilot_call *call);

#endif
