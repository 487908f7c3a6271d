/* SPDX-License-Identifier: MIT */
/* rank.h - bench-rank: what the launcher starts in place of the program, once per rank */
#ifndef LC_BENCH_RANK_H
#define LC_BENCH_RANK_H

#include <stdint.h>

#include "bench/link.h"

/* Wait until all ranks are there, then run argv as this one's program: pass its barriers on, keep
 * its marks and the end of what it says on standard error, and tell the collector when it has
 * ended. Its exit code. */
int lc_rank_run(struct lc_link *link, char **argv);

#endif
