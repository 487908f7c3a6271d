/* SPDX-License-Identifier: MIT */
/* loadcast_arm.h - the arm 'with: loadcast': record, check and stage the image, start ranks with it
 */
#ifndef LC_BENCH_LOADCAST_ARM_H
#define LC_BENCH_LOADCAST_ARM_H

#include "bench/case.h"
#include "bench/memory_guard.h"

struct lc_loadcast_arm {
    const struct lc_case *c;
    char image[PATH_MAX]; /* on the target, as ranks see it; in 'work' if the target is read-only */
    char use[PATH_MAX];   /* the up-to-date image or overlay, as check reported */
    struct lc_session_dir own;    /* private directory that holds the node directory */
    struct lc_memory_guard guard; /* cleans up if bench is killed */
    char node[PATH_MAX + 64];     /* the node directory; "" if nothing is staged */
    struct lc_argv line;          /* the launch line it was staged for; empty: this node only */
    double record_s;
    uint64_t image_bytes;
};

/* Run the program once as a pilot and write the image. 0, or -1 with err filled. */
int lc_loadcast_arm_record(struct lc_loadcast_arm *loadcast, const struct lc_case *c,
                           const char *work, struct lc_error *err);
void lc_loadcast_arm_close(struct lc_loadcast_arm *loadcast);

/* What a job does before its ranks start: check the image, and stage it to the memory of all nodes
 * of the launch line 'line' (NULL: this node). *seconds gets the time. 0, or -1 with err filled. */
int lc_loadcast_arm_check(struct lc_loadcast_arm *loadcast, double *seconds, struct lc_error *err);
int lc_loadcast_arm_stage(struct lc_loadcast_arm *loadcast, const struct lc_argv *line,
                          double *seconds, struct lc_error *err);

/* Stage the image of 'loadcast' to this node, for a trace. Call lc_loadcast_arm_unstage(), not
 * lc_loadcast_arm_close(), for 'here'. */
int lc_loadcast_arm_stage_here(const struct lc_loadcast_arm *loadcast, struct lc_loadcast_arm *here,
                               struct lc_error *err);

/* Remove the image from the nodes' memory. */
int lc_loadcast_arm_unstage(struct lc_loadcast_arm *loadcast, struct lc_error *err);

/* Change the command line so that it starts through the staged launcher. */
int lc_loadcast_arm_wrap(const struct lc_loadcast_arm *loadcast, struct lc_rank_program *program,
                         struct lc_error *err);

#endif
