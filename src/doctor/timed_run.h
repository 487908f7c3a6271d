/* SPDX-License-Identifier: MIT */
/* timed_run.h - run a command for a limited time, with its streams in files */
#ifndef LC_DOCTOR_TIMED_RUN_H
#define LC_DOCTOR_TIMED_RUN_H

#include <stdbool.h>

#include "util/error.h"

struct lc_timed_run {
    char *const *argv;
    char *const *set;   /* "NAME=VALUE" to be set; may be NULL */
    const char *unset;  /* a variable to be removed; may be NULL */
    const char *input;  /* file for standard input */
    const char *output; /* files that are made: standard output and error */
    const char *errors;
    double limit_s;
};

struct lc_timed_end {
    int status;     /* as by wait() */
    bool timed_out; /* it was ended, with all that it had started */
    double seconds;
};

/* Must be called once before the others: signals that ask this process to end are then kept for
 * lc_timed_run, and processes that a command leaves behind become our children. */
void lc_timed_run_begin(void);

/* Run the command in a session of its own. 0; or -1 with err filled and errno: ENOENT, EACCES and
 * so on, it could not be executed; EINTR, this process was asked to end (the command was ended). */
int lc_timed_run(const struct lc_timed_run *run, struct lc_timed_end *end, struct lc_error *err);

#endif
