/* SPDX-License-Identifier: MIT */
/* measure.h - measure one run */
#ifndef LC_BENCH_MEASURE_H
#define LC_BENCH_MEASURE_H

#include "bench/arm_ops.h"
#include "bench/case.h"
#include "bench/phases.h"

/* What is run, and how. */
struct lc_measure_point {
    struct lc_case *c;
    struct lc_arm_setup *setup;
    struct lc_width width;
    const char *launcher; /* resolved: not "auto" */
    bool is_cold;
    bool is_found;   /* caches are as they are: nothing is dropped, nothing warmed up */
    bool is_quiet;   /* without bystander: only the ranks use the server */
    bool is_control; /* use the directory behind stormfs, not stormfs */
};

struct lc_measured {
    enum lc_run_status status;
    char reason[1024];
    struct lc_buf errors;
    struct lc_phases phases;
    struct lc_run_metric metric[LC_METRICS_MOST];
    size_t metrics;
    long nodes;     /* number of hosts that ranks reported from */
    double total_s; /* check, staging and the slowest rank; NAN unless done */
    double bystander_s, bystander_idle_s;
    size_t bystander_asked; /* stat calls of the bystander during the run */
};

/* Check that the target exists, the launcher can be started and the allocation is large enough. 0,
 * or -1 with err filled. */
int lc_point_possible(const struct lc_measure_point *point, struct lc_error *err);

/* Run once, with the caches as they are (call lc_make_cold() before). Failures are reported in
 * 'status' and 'reason'. The caller frees *m with lc_measured_free(). */
void lc_measure(const struct lc_measure_point *point, struct lc_measured *m);
void lc_measured_free(struct lc_measured *m);
void lc_measured_metric(struct lc_measured *m, const char *name, double value); /* NAN: ignored */

/* Add how much memory of a node the arm's files take, while they are still there. Not timed. */
void lc_measure_memory(const struct lc_measure_point *point, struct lc_measured *m);

/* If point->is_cold: drop the caches of the target, and what the arm has brought to the nodes. 0
 * with the method in 'how', or -1 with err filled if that is impossible. */
int lc_make_cold(const struct lc_measure_point *point, char *how, size_t size,
                 struct lc_error *err);

#endif
