/* SPDX-License-Identifier: MIT */
/* new_environment.h - read and change the environment of a program before its first instruction
 *
 * What the kernel has put on the program's stack (argc, argv, the environment, the auxiliary vector
 * and their texts) is plain memory that the program has not read yet. */
#ifndef LC_TRACE_NEW_ENVIRONMENT_H
#define LC_TRACE_NEW_ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/buf.h"

struct lc_new_environment {
    pid_t tid;
    uint64_t stack;    /* address of argc */
    struct lc_buf all; /* the words from argc to the end of the auxiliary vector */
    size_t first;      /* index of the environment's first word */
    struct lc_buf block;
    char **text; /* NULL-terminated; into 'block' */
    size_t count;
};

/* Read the environment of a stopped 64-bit program of this architecture. 0, or -1 if it cannot be
 * read. After 0 the caller frees it. */
int lc_new_environment_read(struct lc_new_environment *env, pid_t tid);
void lc_new_environment_free(struct lc_new_environment *env);

/* Overwrite variable number 'at' with a text that is not longer; /proc/PID/environ changes, too. 0,
 * or -1 with nothing changed. */
int lc_new_environment_overwrite(struct lc_new_environment *env, size_t at, const char *text);

/* Set variable number 'at' to the text "NAME=value", or append it if 'at' is 'count'. The stack
 * grows; /proc/PID/environ stays as it was. May be called once. 0, or -1. */
int lc_new_environment_put(struct lc_new_environment *env, size_t at, const char *text);

#endif
