/* SPDX-License-Identifier: MIT */
/* count_operations.h - count the file system operations of a run, in a run that is not timed */
#ifndef LC_BENCH_COUNT_OPERATIONS_H
#define LC_BENCH_COUNT_OPERATIONS_H

#include "bench/bench.h"

/* On stormfs: the server's counters and busy time over one run with the same state of the caches,
 * and the time of the same ranks without stormfs. Elsewhere: a trace of one rank, multiplied by the
 * number of ranks. Fills the figures of the line. What cannot be counted stays NAN and is reported
 * by 'say'. */
void lc_count_operations(const struct lc_measure_point *point, struct lc_bench_line *line,
                         void (*say)(const char *text));

#endif
