/* SPDX-License-Identifier: MIT */
/* traced.h - one process under loadcast-trace(1): what it asks of a target */
#ifndef LC_BENCH_TRACED_H
#define LC_BENCH_TRACED_H

#include <limits.h>

#include "bench/case.h"

struct lc_traced {
    bool is_counted; /* the figures are right; the command may have failed nevertheless */
    double metadata, failed, data, bytes; /* calls below the target's root; failed of 'metadata' */
    char elsewhere[PATH_MAX];             /* the first file it opened below 'source'; "": none */
};

/* Run 'command' to its end, 'timeout_s' at most. Its standard output is appended to 'out' (may be
 * NULL). 'source' (may be NULL) is a directory that it should not need. 0, or -1 with err filled:
 * it failed, or (is_counted is false) could not be traced. */
int lc_trace_one(const struct lc_case *c, const struct lc_argv *command, const char *source,
                 double timeout_s, struct lc_buf *out, struct lc_traced *traced,
                 struct lc_error *err);

/* The words of one process of a case, for its files below 'base': env NAME=VALUE... PROGRAM... */
void lc_program_words(const struct lc_rank_program *program, struct lc_argv *words);

#endif
