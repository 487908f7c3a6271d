/* SPDX-License-Identifier: MIT */
/* launch.h - start a program under ptrace */
#ifndef LC_TRACE_LAUNCH_H
#define LC_TRACE_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

struct lc_traced_start {
    pid_t pid;
    bool has_filter; /* in: wanted; out: got */
    int out_fd;      /* in: the program's standard output */
    pid_t group;     /* in: the process group of the program */
    int report_fd;   /* carries errno if execve fails */
};

/* Fork, attach, filter, and let it go towards its execve; 'before' runs in the child first, to
 * undo what we did to its signals. 0, or -1 with err filled and no process left. */
int lc_traced_start_start(struct lc_traced_start *launch, const char *program, char *const argv[],
                          void (*before)(void), struct lc_error *err);

/* After the program has gone: why its execve failed (an errno), or 0. Closes the report. */
int lc_traced_start_failure(struct lc_traced_start *launch);

#endif
