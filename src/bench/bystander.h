/* SPDX-License-Identifier: MIT */
/* bystander.h - another user of the same file system: how long does his stat take?
 *
 * A process that asks, every few milliseconds, for a name that is not there: no cache can answer
 * that, so every question reaches the server. */
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

/* Start asking in 'dir'. 0, or -1 with err filled. */
int lc_bystander_start(struct lc_bystander *b, const char *dir, struct lc_error *err);

/* How many questions were answered so far. */
uint64_t lc_bystander_answers(const struct lc_bystander *b);

/* Seconds of the questions since the last call: their median and 95th percentile. The median is
 * over time, not over questions: slow ones are few because they are slow. A question that is still
 * without an answer counts with the time it has taken. Returns how many there were. */
size_t lc_bystander_read(struct lc_bystander *b, double *median_s, double *p95_s);

void lc_bystander_stop(struct lc_bystander *b);

#endif
