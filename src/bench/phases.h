/* SPDX-License-Identifier: MIT */
/* phases.h - convert the reports of a run's ranks to phases of the results database */
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

/* Fill the phases. "launch": from the launcher's start to the rank's. Each mark: from the mark
 * before it, or from the program's start. "total": launch, plus the program up to its last mark
 * (its end if it printed none); the time that ranks wait for each other before their programs start
 * is overhead of bench and not included. "from_barrier": from the last barrier on. Ranks without a
 * report are left out. 0, or -1 with errno ENOMEM. */
int lc_phases_fill(struct lc_phases *phases, const struct lc_collect *run);
void lc_phases_free(struct lc_phases *phases);

/* Worst rank of a phase in seconds; NAN if there is none of that name. */
double lc_phases_worst(const struct lc_phases *phases, const char *name);

/* The longest time in seconds between the start of a rank and of its program. */
double lc_phases_gate(const struct lc_collect *run);

/* Largest difference in seconds between a host's clock and ours: of the wall clocks (the error of a
 * benchmark that uses 'date'), and of the monotonic clocks, which are used here (they count from
 * boot). clock_error: the largest error of a measured difference. */
double lc_phases_clock_offset(const struct lc_collect *run);
double lc_phases_monotonic_offset(const struct lc_collect *run);
double lc_phases_clock_error(const struct lc_collect *run);

#endif
