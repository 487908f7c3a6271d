/* SPDX-License-Identifier: MIT */
/* arm.h - one arm of a comparison (plain, with Loadcast, ...) at one width: its repeated runs and
 * their rows in the results database */
#ifndef LC_BENCH_ARM_H
#define LC_BENCH_ARM_H

#include "bench/bench.h"
#include "bench/pick.h"

/* Shared by all widths of an arm: once set, wider runs are not started, and get a row that says so.
 */
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
    struct lc_run_uid *uid; /* its rows in the database; owned */
    size_t uids;
    struct lc_run_uid first; /* row reserved before the warm-up, which may fail already */
    long rounds;             /* runs started, at most max_runs */
    bool has_first;
    bool is_counted;  /* operations were counted before the suite was interrupted */
    bool is_over;     /* no more runs: failed or stopped */
    bool was_stopped; /* not started before the suite was interrupted either; its row says why */
};

void lc_arm_set(struct lc_arm *arm, struct lc_bench *bench, struct lc_case *c,
                struct lc_arm_setup *setup, struct lc_width width, const char *cache,
                struct lc_stop *stop);

/* Start no more runs from the next width on. */
void lc_stop_set(struct lc_stop *stop, enum lc_run_status status, const char *reason);

/* These return 0, or -1 with err filled if a row could not be written. A run that fails is not an
 * error: it gets a row. */
int lc_arm_begin(struct lc_arm *arm, struct lc_error *err); /* warm-up, or a row 'stopped' */
int lc_arm_run(struct lc_arm *arm, struct lc_error *err);
int lc_arm_end(struct lc_arm *arm, struct lc_error *err); /* counts operations, reports the line */
void lc_arm_free(struct lc_arm *arm);                     /* may be called before lc_arm_end() */
bool lc_arm_is_settled(const struct lc_arm *arm);

/* Take what was measured before the suite was interrupted, if it is resumed. 0, or -1 with err
 * filled if the database cannot be read. */
int lc_arm_resume(struct lc_arm *arm, struct lc_error *err);
bool lc_arm_is_finished(const struct lc_arm *arm); /* then there is nothing left to measure */

/* How many slow answers are certainly not chance; see lc_arm_consider_stopping(). */
enum { LC_BYSTANDER_CERTAIN = 5 };

/* Stop the series if a run timed out, took too long, or harmed other users of the file system. */
void lc_arm_consider_stopping(struct lc_arm *arm, const struct lc_measured *m);

/* Write a failed row for a case that cannot be set up, or for every case of a target that cannot be
 * used. */
int lc_bench_unusable(struct lc_bench *bench, struct lc_case *c, const char *reason,
                      struct lc_error *err);
int lc_bench_lost_target(struct lc_bench *bench, const struct lc_picks *picks, unsigned target,
                         const char *reason, struct lc_error *err);

#endif
