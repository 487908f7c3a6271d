/* SPDX-License-Identifier: MIT */
/* run.h - run a program, wait for its end, and report its own words if it failed */
#ifndef LC_UTIL_RUN_H
#define LC_UTIL_RUN_H

#include <stddef.h>

#include "util/buf.h"
#include "util/error.h"

/* A command line that grows. Start with a zeroed struct; the owner calls lc_argv_free. */
struct lc_argv {
    char **item; /* ends with NULL once something was added; all owned */
    size_t count;
    size_t cap;
    int failed; /* an allocation failed: nothing more is added, and lc_run fails */
};

void lc_argv_free(struct lc_argv *argv);
void lc_argv_add(struct lc_argv *argv, const char *word);
void lc_argv_printf(struct lc_argv *argv, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void lc_argv_add_all(struct lc_argv *argv, char *const *list); /* ends with NULL */
void lc_argv_words(struct lc_argv *argv, const char *words);   /* split at blanks */

/* Run the program in directory 'dir' (NULL: the present one) and wait. Its standard error is not
 * shown; if it fails, the most useful line becomes part of err. 0, or -1 with err filled. */
int lc_run(const struct lc_argv *argv, const char *dir, struct lc_error *err);

/* Run the program and keep its standard output. Its standard error is not shown; if it fails, the
 * last line becomes part of err. 0, or -1 with err filled. */
int lc_run_output_quiet(const struct lc_argv *argv, struct lc_buf *out, struct lc_error *err);

/* Run the program and keep its standard output; its standard error is shown. 0, or -1 with err
 * filled. */
int lc_run_output(const struct lc_argv *argv, struct lc_buf *out, struct lc_error *err);

#endif
