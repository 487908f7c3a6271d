/* SPDX-License-Identifier: MIT */
/* bystander.h - how long a stat takes for another user of the same file system
 *
 * A process that calls stat every few milliseconds for a new name that does not exist: no cache can
 * answer that, so each call reaches the server. */
#ifndef LC_BENCH_BYSTANDER_H
#define LC_BENCH_BYSTANDER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

struct lc_bystander {
    pid_t pid;
    struct lc_bystander_board *board; /* shared with the process */
};

/* Start the process; it calls stat in 'dir'. 0, or -1 with err filled. */
int lc_bystander_start(struct lc_bystander *b, const char *dir, struct lc_error *err);

/* The number of completed calls so far. */
uint64_t lc_bystander_answers(const struct lc_bystander *b);

/* Median and 95th percentile, in seconds, of the calls since the last lc_bystander_read(). The
 * median is weighted by duration: otherwise slow calls, being few, would count too little. A call
 * that has not returned counts with the time it has taken so far. Returns the number of calls. */
size_t lc_bystander_read(struct lc_bystander *b, double *median_s, double *p95_s);

void lc_bystander_stop(struct lc_bystander *b);

#endif
