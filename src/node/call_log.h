/* SPDX-License-Identifier: MIT */
/* call_log.h - write the pilot's calls as lines of a trace log (doc/trace-log.md), where ptrace is
 * forbidden. Freestanding; safe in signal handlers and vfork children: no allocation but mmap, no
 * lock, no descriptor left open, errno untouched. */
#ifndef LC_NODE_CALL_LOG_H
#define LC_NODE_CALL_LOG_H

#include <stdbool.h>
#include <stdint.h>

#define LC_PILOT_VARIABLE "LOADCAST_CALL_LOG" /* environment variable with the log's path */
#define LC_PILOT_OBJECT   "loadcast-pilot.so" /* LD_PRELOAD: writes the log */
/* Set in every pilot that loads the preload object: see client/python/pilot_imports.c. */
#define LC_PILOT_IMPORTS_VARIABLE "LOADCAST_PILOT_IMPORTS"

struct lc_pilot_call {
    const char *call; /* name as in the trace log */
    long result;      /* or a negative errno */
    int dirfd;        /* where a relative path starts; -100 (AT_FDCWD): the working directory */
    const char *path; /* NULL: dirfd itself */
    uint64_t flags;
    bool writes;
    bool is_announced; /* an exec that the new program tells itself: this one does not count */
    int second_dirfd;
    const char *second; /* rename's and link's new path; NULL: none */
    const char *real;   /* for an exec: the real program; NULL: same as 'path' */
};

/* Set the log, a file that exists. Before this call nothing is written. False if the name is too
 * long. */
bool lc_pilot_log_to(const char *file);

/* Is there a log? */
bool lc_pilot_is_logging(void);

/* Write nothing more, in this process and the children it forks. */
void lc_pilot_log_end(void);

/* Append one line with a single write, unless the result tells that the kernel could not read the
 * paths. A line that was written before is written again for some of its calls only, with how many
 * it stands for. */
void lc_pilot_note(const struct lc_pilot_call *call);

#endif
