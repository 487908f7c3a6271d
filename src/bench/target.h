/* SPDX-License-Identifier: MIT */
/* target.h - a file system to measure: an existing directory, or a stormfs that bench mounts */
#ifndef LC_BENCH_TARGET_H
#define LC_BENCH_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/programs.h"
#include "bench/suite.h"

/* Programs that a job runs once, however many tasks it has, in every arm: a stormfs charges them
 * without its scale. Programs that ranks run must not be here. */
#define LC_TARGET_ONCE                                                                           \
    "loadcast,loadcast-full,stager,stage-mpi.openmpi,stage-mpi.mpich,sbcast,find,tar,zstd,tail," \
    "mksquashfs,squashfuse_ll,bench-memory,spindle,spindle_be"

struct lc_target {
    const struct lc_suite_target *spec;
    const struct lc_programs *programs;
    char base[PATH_MAX];  /* bench's directory on the target: DIR/loadcast-bench */
    char root[PATH_MAX];  /* the same as ranks see it: through stormfs, else equal to base */
    char other[PATH_MAX]; /* the same as the bystander sees it: through a second mount of stormfs */
    char mount[PATH_MAX], other_mount[PATH_MAX]; /* of a stormfs; "" otherwise */
    char fs_type[64], fs_options[512];
    bool is_mounted;
};

/* 'work' holds the files of a stormfs target that has no path of its own. 0, or -1 with err filled.
 */
int lc_target_open(struct lc_target *t, const struct lc_suite_target *spec,
                   const struct lc_programs *programs, const char *work, struct lc_error *err);
void lc_target_close(struct lc_target *t);

/* Mount a stormfs anew, or unmount it. Does nothing for a directory. */
int lc_target_mount(struct lc_target *t, struct lc_error *err);
int lc_target_unmount(struct lc_target *t, struct lc_error *err);

/* Check that the target is still there. 0, or -1 with err filled. */
int lc_target_exists(const struct lc_target *t, struct lc_error *err);

/* Counters of a stormfs since the last reset. */
struct lc_target_counts {
    uint64_t requests;        /* requests that reached the server */
    double busy_s;            /* time that the server spent on them */
    double busy_all_scaled_s; /* the same if no program were charged once */
    double service_us;        /* of one request */
};
int lc_target_reset(const struct lc_target *t, struct lc_error *err);
int lc_target_counts(const struct lc_target *t, struct lc_target_counts *counts,
                     struct lc_error *err);

/* Seconds that a metadata request of the bystander's mount of a stormfs took since the last reset,
 * as the server's model has it. */
int lc_target_bystander(const struct lc_target *t, double *median_s, double *p95_s,
                        struct lc_error *err);

#endif
