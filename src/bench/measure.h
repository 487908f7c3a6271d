/* SPDX-License-Identifier: MIT */
/* measure.h - one run, from cold or warm to its figures */
#ifndef LC_BENCH_MEASURE_H
#define LC_BENCH_MEASURE_H

#include "bench/loadcast_arm.h"
#include "bench/case.h"
#include "bench/phases.h"

/* What is run, and how. */
struct lc_measure_point {
    struct lc_case *c;
    struct lc_loadcast_arm *loadcast; /* NULL: plain */
    struct lc_width width;
    const char *launcher; /* resolved: not "auto" */
    bool is_cold;
    bool is_quiet;   /* no bystander: nobody but the ranks asks the server */
    bool is_control; /* from the directory itself, not through stormfs */
};

struct lc_measured {
    enum lc_run_status status;
    char reason[1024];
    struct lc_buf errors;
    struct lc_phases phases;
    struct lc_run_metric metric[LC_METRICS_MOST];
    size_t metrics;
    long nodes;     /* that ranks reported from; 0: none did */
    double total_s; /* headline; NAN unless done */
    double bystander_s, bystander_idle_s;
    size_t bystander_asked; /* questions during the run */
};

/* Is the target there, can the launcher be started, is the allocation wide enough? 0, or -1 with
 * err filled. */
int lc_point_possible(const struct lc_measure_point *point, struct lc_error *err);

/* As the caches are: lc_make_cold comes first. Whatever goes wrong is in 'status' and 'reason'. The
 * caller frees. */
void lc_measure(const struct lc_measure_point *point, struct lc_measured *m);
void lc_measured_free(struct lc_measured *m);

/* Make the point's target cold (and Loadcast's node memory empty), or leave it as it is. 0 with the
 * means in 'how', or -1 with err filled: refused. */
int lc_make_cold(const struct lc_measure_point *point, char *how, size_t size,
                 struct lc_error *err);

#endif
