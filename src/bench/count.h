/* SPDX-License-Identifier: MIT */
/* count.h - operations of a run, counted apart from the measured ones */
#ifndef LC_BENCH_COUNT_H
#define LC_BENCH_COUNT_H

#include "bench/bench.h"

/* On a stormfs: the server's own counters over one whole run in the same state of the caches, the
 * time it served, and how long the same ranks take with no slow disk at all. Elsewhere: trace of
 * one rank, times the ranks. Fills the line's figures; what cannot be counted stays NAN and is
 * said. */
void lc_count(const struct lc_measure_point *point, struct lc_bench_line *line,
              void (*say)(const char *text));

#endif
