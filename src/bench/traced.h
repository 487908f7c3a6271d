/* SPDX-License-Identifier: MIT */
/* traced.h - run one process under loadcast-trace(1) and count its operations on a target */
#ifndef LC_BENCH_TRACED_H
#define LC_BENCH_TRACED_H

#include <limits.h>

#include "bench/case.h"

struct lc_traced {
    bool is_counted; /* the numbers are valid, even if the command failed */
    double metadata, failed, data,
        bytes;                /* calls below the target's root; 'failed' is part of 'metadata' */
    char elsewhere[PATH_MAX]; /* the first file it opened below 'source'; "": none */
};

/* Run 'command', 'timeout_s' at most. Its standard output is appended to 'out' (may be NULL).
 * 'source' (may be NULL) is a directory in which it should open no file. 0, or -1 with err filled:
 * the command failed, or it could not be traced (is_counted is false). */
int lc_trace_one(const struct lc_case *c, const struct lc_argv *command, const char *source,
                 double timeout_s, struct lc_buf *out, struct lc_traced *traced,
                 struct lc_error *err);

/* The command line of a program: env NAME=VALUE... PROGRAM... */
void lc_program_words(const struct lc_rank_program *program, struct lc_argv *words);

#endif
