/* SPDX-License-Identifier: MIT */
/* arm.h - one way to run a case (plain, or with Loadcast) at one width, repeated, with its rows */
#ifndef LC_BENCH_ARM_H
#define LC_BENCH_ARM_H

#include "bench/bench.h"
#include "bench/pick.h"

/* Shared by all widths of an arm: once set, wider runs are rows that say 'stopped'. */
struct lc_stop {
    bool is_set;
    enum lc_run_status status; /* 'stopped', or 'failed' if this arm could never run */
    char reason[400];
};

struct lc_arm {
    struct lc_bench *bench;
    struct lc_measure_point point;
    struct lc_stop *stop;
    struct lc_bench_line line;
    struct lc_run_uid *uid; /* its rows; owned */
    size_t uids;
    struct lc_run_uid first; /* reserved before the warm-up, which may already die */
    long rounds;             /* begun, of max_runs */
    bool has_first;
    bool is_over; /* settled, failed or stopped */
};

void lc_arm_set(struct lc_arm *arm, struct lc_bench *bench, struct lc_case *c,
                struct lc_loadcast_arm *loadcast, struct lc_width width, bool is_cold,
                struct lc_stop *stop);

/* From the next width on. */
void lc_stop_set(struct lc_stop *stop, enum lc_run_status status, const char *reason);

/* All of these: 0, or -1 with err filled if a row could not be written. A run that fails is a row.
 */
int lc_arm_begin(struct lc_arm *arm, struct lc_error *err); /* warms up, or says 'stopped' */
int lc_arm_run(struct lc_arm *arm, long repetition, struct lc_error *err);
int lc_arm_end(struct lc_arm *arm, struct lc_error *err); /* counts operations, tells the line */
void lc_arm_free(struct lc_arm *arm);                     /* what it owns, ended or not */
bool lc_arm_is_settled(const struct lc_arm *arm);

/* A failed row for a case that cannot be set up; the same for every case of a lost target. */
int lc_bench_unusable(struct lc_bench *bench, struct lc_case *c, const char *reason,
                      struct lc_error *err);
int lc_bench_lost_target(struct lc_bench *bench, const struct lc_picks *picks, unsigned target,
                         const char *reason, struct lc_error *err);

#endif
