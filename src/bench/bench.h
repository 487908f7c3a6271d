/* SPDX-License-Identifier: MIT */
/* bench.h - run a suite: every case on every target at every width, repeated */
#ifndef LC_BENCH_BENCH_H
#define LC_BENCH_BENCH_H

#include "bench/facts.h"
#include "bench/measure.h"
#include "bench/resume.h"
#include "results/results.h"
#include "util/progress.h"

/* The result of one arm at one width over all repetitions: a line of the summary. */
struct lc_bench_line {
    const char *name, *mode, *target, *with, *cache; /* borrowed from suite and cases */
    struct lc_width width;
    long nodes;              /* number of hosts of the last run's ranks; 0: not known */
    char how[64];            /* how the caches were made cold */
    long runs, done, failed; /* numbers of runs: started, measured, failed or timed out */
    double *total_s;         /* of the measured runs; owned */
    double median_s, low_s, high_s, best_s; /* low and high are NAN below 6 runs */
    double operations, operations_per_rank, busy_s, control_s; /* NAN: not counted */
    double busy_all_scaled_s; /* as if nothing were charged once; see LC_TARGET_ONCE */
    char status[16];          /* of the last run */
    char reason[512];         /* why it is not 'done' */
};

struct lc_bench {
    const struct lc_suite *suite;
    struct lc_results *results;
    const char *work;
    const char *pick;                                          /* NULL, or "random:N" */
    void (*say)(const char *text);                             /* one line for a person */
    void (*tell)(const struct lc_bench_line *line, void *arg); /* an arm at a width is done */
    void *arg;
    struct lc_resume resume;

    /* private */
    struct lc_programs programs;
    struct lc_facts facts;
    struct lc_progress bar;
    uint64_t runs_done, runs_planned;
    long failures;

    long refused; /* out: arms that could not be made cold, and were not measured */
};

/* Run the suite. Returns the number of failed runs, or -1 with err filled if it cannot be started
 * or rows cannot be written. */
long lc_bench_run(struct lc_bench *bench, struct lc_error *err);

#endif
