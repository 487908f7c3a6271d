/* SPDX-License-Identifier: MIT */
/* step.h - run a command, take its output line by line, and end it when it falls silent */
#ifndef LC_LAUNCH_STEP_H
#define LC_LAUNCH_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "launch/compose.h"
#include "util/error.h"

struct lc_step {
    char *const *argv;
    char *const *clean;       /* changes to the environment that come first: "NAME=VALUE" is set,
                                 "NAME" is unset; may be NULL */
    char *const *environment; /* "NAME=VALUE" to be set in addition; may be NULL */
    double patience_s;        /* the command is ended if it prints no line for so long; 0: never */
    /* Called with each line of its standard output, without the newline. True: no more is needed;
     * the command is ended if it does not end by itself soon. */
    bool (*take)(void *arg, char *line);
    void *arg;
    /* Lines that do not count as something printed, with regard to patience_s; NULL: all count. */
    bool (*is_idle)(const char *line);
    struct lc_buf *said; /* gets the beginning of its standard error; NULL: that is ours */
    bool merges_errors;  /* its standard error is read like its standard output */
};

/* A command that was started. Zeroed while there is none. */
struct lc_step_process {
    pid_t pid; /* 0: none */
    int out;   /* its standard output */
    int input; /* the writing end of its standard input; -1: that is /dev/null */
    int errors;
};

/* Start the command in a process group of its own. 'with_input': process->input is a pipe. It is
 * told to end when this process ends. 0, or -1 with err filled. */
int lc_step_start(const struct lc_step *step, bool with_input, struct lc_step_process *process,
                  struct lc_error *err);
/* Read its output until it ends, as lc_step_run. */
int lc_step_follow(const struct lc_step *step, struct lc_step_process *process, int *status,
                   struct lc_error *err);
/* End a command that is no longer wanted; nothing is done if there is none. */
void lc_step_abandon(struct lc_step_process *process);

/* Run the command with standard input from /dev/null, in a process group of its own. It is ended
 * when this process gets SIGINT, SIGTERM or SIGHUP. 0 with *status as by wait(); or -1 with err
 * filled and errno: ETIMEDOUT it printed nothing for too long, EINTR a signal came (*status is its
 * number), else it could not be started. None of its processes on this machine is left. */
int lc_step_run(const struct lc_step *step, int *status, struct lc_error *err);

/* The output of 'program option' (NULL: no option), standard error included, cut to fit; 'clean' as
 * in struct lc_step. Returns its status as by wait(), or -1. If the program does not end, it is
 * ended after ten seconds without output. If a signal comes meanwhile, it is raised again. */
int lc_step_ask(const char *program, const char *option, char *const *clean, char *out,
                size_t size);

#endif
