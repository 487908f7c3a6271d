/* SPDX-License-Identifier: MIT */
/* arm_loadcast.h - the image of the arms 'loadcast' and 'loadcast-libs'
 *
 * For counting operations; everything else goes through struct lc_arm_ops. */
#ifndef LC_BENCH_ARM_LOADCAST_H
#define LC_BENCH_ARM_LOADCAST_H

#include "bench/arm_ops.h"
#include "bench/memory_guard.h"

struct lc_loadcast_arm {
    const struct lc_case *c;
    char file[PATH_MAX];  /* the image on the disk itself */
    char image[PATH_MAX]; /* on the target, as ranks see it; in 'work' if the target is read-only */
    char use[PATH_MAX];   /* the up-to-date image or overlay, as check reported */
    struct lc_session_dir own;    /* private directory that holds the node directory */
    struct lc_memory_guard guard; /* cleans up if bench is killed */
    char node[PATH_MAX + 64];     /* the node directory; "" if nothing is staged */
    struct lc_argv line;          /* the launch line it was staged for; empty: this node only */
    bool only_libs;               /* serve programs and libraries only */
    bool is_run; /* nothing is staged: 'loadcast run' starts the line, and checks, stages, cleans */
};

/* The image of an arm; NULL if the arm uses none. */
struct lc_loadcast_arm *lc_loadcast_of(const struct lc_arm_setup *setup);

/* Stage the image of 'loadcast' to this node, for a trace. Call lc_loadcast_arm_unstage() for
 * 'here'. 0, or -1 with err filled. */
int lc_loadcast_arm_stage_here(const struct lc_loadcast_arm *loadcast, struct lc_loadcast_arm *here,
                               struct lc_error *err);

/* Remove the image from the nodes' memory. */
int lc_loadcast_arm_unstage(struct lc_loadcast_arm *loadcast, struct lc_error *err);

/* Change the command line so that it starts through the staged launcher. */
int lc_loadcast_arm_wrap(const struct lc_loadcast_arm *loadcast, struct lc_rank_program *program,
                         struct lc_error *err);

#endif
