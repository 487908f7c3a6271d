/* SPDX-License-Identifier: MIT */
/* rank.h - bench-rank: the launcher starts it once per rank, and it starts the program */
#ifndef LC_BENCH_RANK_H
#define LC_BENCH_RANK_H

#include <stdint.h>

#include <stdbool.h>

#include "bench/link.h"

/* Wait until all ranks are connected, then run the program argv: forward its barriers, keep its
 * marks and the end of its standard error, and report to the collector when it has ended. It is
 * started by fork() or vfork(). Returns the program's exit code. */
int lc_rank_run(struct lc_link *link, char **argv, bool is_forked);

/* Hold something on this node while bench wants it (rank_hold.c); 'words' are HOSTS PORT TOKEN
 * COUNT DIR SCRIPT [NAME=VALUE]... 0, or -1 with err filled. */
int lc_rank_hold(char **words, long rank, struct lc_error *err);

#endif
