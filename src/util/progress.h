/* SPDX-License-Identifier: MIT */
/* progress.h - a progress bar on stderr; prints nothing if stderr is not a terminal */
#ifndef LC_UTIL_PROGRESS_H
#define LC_UTIL_PROGRESS_H

#include <stdint.h>

struct lc_progress {
    const char *what; /* borrowed */
    uint64_t total;   /* 0: unknown; a count is shown instead of a bar */
    uint64_t start_ns;
    uint64_t shown_ns;
    int on;
};

void lc_progress_begin(struct lc_progress *bar, const char *what, uint64_t total);
void lc_progress_update(struct lc_progress *bar,
                        uint64_t done);        /* draws at most 10 times a second */
void lc_progress_end(struct lc_progress *bar); /* clears the line */

#endif
