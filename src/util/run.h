/* SPDX-License-Identifier: MIT */
/* run.h - run a program to its end, quietly, and say what it said when it failed */
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
    int failed; /* an allocation failed: nothing is added any more, and lc_run says so */
};

void lc_argv_free(struct lc_argv *argv);
void lc_argv_add(struct lc_argv *argv, const char *word);
void lc_argv_printf(struct lc_argv *argv, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void lc_argv_add_all(struct lc_argv *argv, char *const *list); /* ends with NULL */
void lc_argv_words(struct lc_argv *argv, const char *words);   /* split at blanks */

/* Run it in directory 'dir' (NULL: here) and wait; its output is shown only in err, its last lines,
 * when it failed. 0, or -1 with err filled. */
int lc_run(const struct lc_argv *argv, const char *dir, struct lc_error *err);

/* Both: its standard output kept, and err says why it failed in its own words. */
int lc_run_both(const struct lc_argv *argv, struct lc_buf *out, struct lc_error *err);

/* Run it and keep its standard output. 0, or -1 with err filled. */
int lc_run_output(const struct lc_argv *argv, struct lc_buf *out, struct lc_error *err);

#endif
