/* SPDX-License-Identifier: MIT */
/* resume.h - go on with a suite that was interrupted
 *
 * While a suite is measured, a file in the work directory holds the time at which it was begun; it
 * is removed when all of it was tried. Runs since then are in the results database. */
#ifndef LC_BENCH_RESUME_H
#define LC_BENCH_RESUME_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct lc_resume {
    bool is_on;       /* runs since 'since_ns' are taken as measured */
    int64_t since_ns; /* wall clock */
    char file[PATH_MAX];
};

/* 'text' is what makes this suite the same as an earlier one; 'is_wanted': go on with what was
 * interrupted, if there is such a thing. 0, or -1 with err filled. */
int lc_resume_begin(struct lc_resume *resume, const char *work, const char *text, bool is_wanted,
                    struct lc_error *err);

/* Everything was tried: there is nothing left to go on with. */
void lc_resume_end(const struct lc_resume *resume);

#endif
