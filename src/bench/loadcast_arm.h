/* SPDX-License-Identifier: MIT */
/* loadcast_arm.h - the arm 'with: loadcast': image, check, staging, and what ranks run then */
#ifndef LC_BENCH_LOADCAST_ARM_H
#define LC_BENCH_LOADCAST_ARM_H

#include "bench/case.h"
#include "bench/memory_guard.h"

struct lc_loadcast_arm {
    const struct lc_case *c;
    char image[PATH_MAX];      /* on the target, as ranks see it; in 'work' if that is read-only */
    char use[PATH_MAX];        /* the same as brought up to date by check */
    struct lc_session_dir own; /* of this bench alone: parent of the node directory */
    struct lc_memory_guard guard; /* cleans if bench is killed */
    char node[PATH_MAX + 64];     /* the node directory, while staged; else "" */
    struct lc_argv line;          /* what it was staged for; empty: this node alone */
    double record_s;
    uint64_t image_bytes;
};

/* Run the program once as a pilot and write the image. 0, or -1 with err filled. */
int lc_loadcast_arm_record(struct lc_loadcast_arm *loadcast, const struct lc_case *c,
                           const char *work, struct lc_error *err);
void lc_loadcast_arm_close(struct lc_loadcast_arm *loadcast);

/* What a job does before its ranks start: bring the image up to date, put it into the memory of all
 * nodes that 'line' starts something on (NULL: this one). Each with the seconds it took. 0, or -1
 * with err filled. */
int lc_loadcast_arm_check(struct lc_loadcast_arm *loadcast, double *seconds, struct lc_error *err);
int lc_loadcast_arm_stage(struct lc_loadcast_arm *loadcast, const struct lc_argv *line,
                          double *seconds, struct lc_error *err);

/* The same image in this node's memory, which 'loadcast' was perhaps not staged to: for a trace
 * here. 'here' is to be forgotten, not closed. */
int lc_loadcast_arm_stage_here(const struct lc_loadcast_arm *loadcast, struct lc_loadcast_arm *here,
                               struct lc_error *err);

/* Out of the nodes' memory again. */
int lc_loadcast_arm_forget(struct lc_loadcast_arm *loadcast, struct lc_error *err);

/* The same program, served: through the staged launcher. */
int lc_loadcast_arm_wrap(const struct lc_loadcast_arm *loadcast, struct lc_rank_program *program,
                         struct lc_error *err);

#endif
