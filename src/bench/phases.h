/* SPDX-License-Identifier: MIT */
/* phases.h - what the ranks of a run told, as phases of the results database */
#ifndef LC_BENCH_PHASES_H
#define LC_BENCH_PHASES_H

#include "bench/collect.h"
#include "results/run.h"

enum { LC_PHASES_MOST = 40, LC_METRICS_MOST = 24 };

struct lc_phases {
    struct lc_run_phase phase[LC_PHASES_MOST];
    char name[LC_PHASES_MOST][64];
    int64_t *sample[LC_PHASES_MOST]; /* owned */
    size_t count;
};

/* launch: from the launcher's start to the rank's. Each mark: from the mark before it, or from the
 * program's start. total: launch, and the program until its last mark (its end if it made none);
 * the time that ranks waited for each other before their programs started is bench's own and not in
 * it. from_barrier: from the last barrier. Ranks that did not tell are left out. 0, or -1 with
 * errno ENOMEM. */
int lc_phases_fill(struct lc_phases *phases, const struct lc_collect *run);
void lc_phases_free(struct lc_phases *phases);

/* Worst rank of a phase in seconds; NAN if there is none of that name. */
double lc_phases_worst(const struct lc_phases *phases, const char *name);

/* Longest wait of a rank between its own start and its program's. */
double lc_phases_gate(const struct lc_collect *run);

/* Largest difference between a host's clock and ours: of the wall clocks, which is what a benchmark
 * by 'date' is wrong by, and of the clocks that are used, which differ by the time of booting; and
 * the largest error of a measured one. */
double lc_phases_clock_offset(const struct lc_collect *run);
double lc_phases_monotonic_offset(const struct lc_collect *run);
double lc_phases_clock_error(const struct lc_collect *run);

#endif
