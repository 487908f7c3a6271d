/* SPDX-License-Identifier: MIT */
/* pool.h - jobs in parallel processes, ended together when one fails or a signal comes */
#ifndef LC_GEN_POOL_H
#define LC_GEN_POOL_H

#include <stddef.h>

#include "util/error.h"
#include "util/progress.h"

/* Signals that end the run are held back between these two, and taken by the pool: no handler, no
 * race. Signals that were ignored (nohup) stay so. */
void lc_pool_hold_signals(void);

/* The signal that ended the run, also one that came outside lc_pool_run; 0 if none. */
int lc_pool_signal(void);

/* Let signals through again; if one had come, die by it as if it had never been held back. */
void lc_pool_release_signals(void);

/* Each job runs in a process of its own; 0, or -1 with err filled. */
typedef int (*lc_job)(void *context, size_t number, struct lc_error *err);

/* Run jobs 0 to count - 1, at most 'parallel' at a time. When one fails, or a signal comes, the
 * others are ended with all their children. 0, or -1 with the first failure in err. The bar goes
 * from *done to *done + count. */
int lc_pool_run(lc_job job, void *context, size_t count, long parallel, struct lc_progress *bar,
                size_t *done, struct lc_error *err);

#endif
