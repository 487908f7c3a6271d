/* SPDX-License-Identifier: MIT */
/* target.h - a place that is measured: a directory, or a stormfs mounted for the purpose */
#ifndef LC_BENCH_TARGET_H
#define LC_BENCH_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/programs.h"
#include "bench/suite.h"

struct lc_target {
    const struct lc_suite_target *spec;
    const struct lc_programs *programs;
    char base[PATH_MAX];  /* where bench puts things: DIR/loadcast-bench on the real directory */
    char root[PATH_MAX];  /* the same, as ranks see it; equal to base unless it is a stormfs */
    char other[PATH_MAX]; /* the bystander's way to it */
    char mount[PATH_MAX], other_mount[PATH_MAX]; /* of a stormfs; "" otherwise */
    char fs_type[64], fs_options[512];
    bool is_mounted;
};

/* 'work' is where a stormfs without a path of its own keeps what it shows. 0, or -1 with err
 * filled. */
int lc_target_open(struct lc_target *t, const struct lc_suite_target *spec,
                   const struct lc_programs *programs, const char *work, struct lc_error *err);
void lc_target_close(struct lc_target *t);

/* A stormfs: unmount if need be, and mount afresh. Nothing for a directory. */
int lc_target_mount(struct lc_target *t, struct lc_error *err);
int lc_target_unmount(struct lc_target *t, struct lc_error *err);

/* Is it still there? 0, or -1 with err filled. */
int lc_target_exists(const struct lc_target *t, struct lc_error *err);

/* What a stormfs has counted since the last reset. */
struct lc_target_counts {
    uint64_t requests; /* charged to the server */
    double busy_s;     /* its service time */
    double service_us; /* of one request */
};
int lc_target_reset(const struct lc_target *t, struct lc_error *err);
int lc_target_counts(const struct lc_target *t, struct lc_target_counts *counts,
                     struct lc_error *err);

#endif
