/* SPDX-License-Identifier: MIT */
/* new_environment.h - the environment of a program that stands before its first instruction
 *
 * What the kernel has put on its stack (argc, argv, the environment, the auxiliary vector, and the
 * texts of all these) is plain memory that nobody has read yet. */
#ifndef LC_TRACE_NEW_ENVIRONMENT_H
#define LC_TRACE_NEW_ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/buf.h"

struct lc_new_environment {
    pid_t tid;
    uint64_t stack;    /* address of argc */
    struct lc_buf all; /* the words from there to the end of the auxiliary vector */
    size_t first;      /* the environment's first word */
    struct lc_buf block;
    char **text; /* NULL-terminated; into 'block' */
    size_t count;
};

/* Of a stopped 64-bit program of this machine. 0, or -1: it cannot be read. To be freed if 0. */
int lc_new_environment_read(struct lc_new_environment *env, pid_t tid);
void lc_new_environment_free(struct lc_new_environment *env);

/* Write over the variable 'at' a text that is not longer; seen in /proc/PID/environ, too. 0, or -1
 * and nothing was changed. */
int lc_new_environment_overwrite(struct lc_new_environment *env, size_t at, const char *text);

/* Put a variable "NAME=value" in the place of 'at', or at the end where that is 'count'. The stack
 * gets longer; /proc/PID/environ stays as it was. At most once. 0, or -1. */
int lc_new_environment_put(struct lc_new_environment *env, size_t at, const char *text);

#endif
