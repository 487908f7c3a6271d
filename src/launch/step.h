/* SPDX-License-Identifier: MIT */
/* step.h - run a command, take its output line by line, and end it when it falls silent */
#ifndef LC_LAUNCH_STEP_H
#define LC_LAUNCH_STEP_H

#include <stdbool.h>
#include <stddef.h>

#include "launch/compose.h"
#include "util/error.h"

struct lc_step {
    char *const *argv;
    char *const *environment; /* "NAME=VALUE" to be set in addition; may be NULL */
    double patience_s;        /* so long without a line: ended. 0: for ever */
    /* Called with each line of its standard output, without the newline. True: that was the last
     * one; if it does not end by itself soon, it is ended. */
    bool (*take)(void *arg, char *line);
    void *arg;
    struct lc_buf *said; /* gets the beginning of its standard error; NULL: that is ours */
    bool merges_errors;  /* its standard error is read like its standard output */
};

/* Run it with standard input from /dev/null, in a process group of its own; its standard error is
 * ours, or kept. When this process gets SIGINT, SIGTERM or SIGHUP, it is ended too. 0 with *status
 * as by wait(); or -1 with err filled and errno: ETIMEDOUT silent too long, EINTR a signal came
 * (*status is its number), else it could not be started. Nothing of it is left running here. */
int lc_step_run(const struct lc_step *step, int *status, struct lc_error *err);

/* What 'program option' prints, errors included, cut to fit; what it has said within ten seconds of
 * silence if it does not end. A signal that asks us to end is obeyed. */
void lc_step_ask(const char *program, const char *option, char *out, size_t size);

#endif
