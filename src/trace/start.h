/* SPDX-License-Identifier: MIT */
/* start.h - start a program under ptrace */
#ifndef LC_TRACE_START_H
#define LC_TRACE_START_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

struct lc_traced_start {
    pid_t pid;
    bool has_filter; /* in: wanted; out: installed */
    bool names_only; /* in: as in struct lc_trace_options */
    int out_fd;      /* in: the program's standard output */
    pid_t group;     /* in: the process group of the program */
    int report_fd;   /* carries errno if execve fails */
};

/* Fork, attach, install the filter, and let the child execute the program. 'before' runs in the
 * child first, to restore its signals. 0, or -1 with err filled and no process left. */
int lc_traced_start_program(struct lc_traced_start *start, const char *program, char *const argv[],
                            void (*before)(void), struct lc_error *err);

/* After the program has ended: the errno with which its execve failed, or 0. Closes report_fd. */
int lc_traced_start_exec_error(struct lc_traced_start *start);

#endif
