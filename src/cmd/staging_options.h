/* SPDX-License-Identifier: MIT */
/* staging_options.h - what 'stage' and 'run' share: options for staging on many nodes, and its
 * report */
#ifndef LC_CMD_CAST_H
#define LC_CMD_CAST_H

#include <limits.h>

#include "launch/stage_nodes.h"
#include "util/cli.h"

struct lc_cast_options {
    const char *via, *dir, *with, *helper;
    double wait_s;
    char full[PATH_MAX]; /* DIR for whatever directory a rank stands in */
};

extern const char *const lc_cast_vias[];

enum { LC_CAST_WAIT_S = 10 };

#define LC_CAST_DEFAULTS                        \
    {                                           \
        .via = "auto", .wait_s = LC_CAST_WAIT_S \
    }

#define LC_CAST_OPTIONS(o)                                                                     \
    {0,                                                                                        \
     "via",                                                                                    \
     LC_OPT_CHOICE,                                                                            \
     &(o).via,                                                                                 \
     "WAY",                                                                                    \
     "how the image travels: over MPI, by Slurm's sbcast, or read by each node (fs)",          \
     .choices = lc_cast_vias},                                                                 \
        {0,                                                                                    \
         "dir",                                                                                \
         LC_OPT_STRING,                                                                        \
         &(o).dir,                                                                             \
         "DIR",                                                                                \
         "the directory that holds images, the same on all nodes; else $LOADCAST_DIR, else "   \
         "/dev/shm"},                                                                          \
        {0,                                                                                    \
         "with",                                                                               \
         LC_OPT_STRING,                                                                        \
         &(o).with,                                                                            \
         "WORDS",                                                                              \
         "what starts one process per node, for launchers nobody here knows: 'ibrun -ppn 1'"}, \
        {0,                                                                                    \
         "helper",                                                                             \
         LC_OPT_STRING,                                                                        \
         &(o).helper,                                                                          \
         "FILE",                                                                               \
         "the stage-mpi of your MPI; else $LOADCAST_STAGE_MPI, else an installed one"},        \
    {                                                                                          \
        0, "wait", LC_OPT_SECONDS, &(o).wait_s, "TIME",                                        \
            "give up on staging after TIME in which nothing happened", 1, 86400                \
    }

/* Everything but image, id and line; it refers to 'o'. 0, or -1 with err filled. */
int lc_cast_from_options(struct lc_cast *cast, struct lc_cast_options *o, const char *origin,
                         struct lc_error *err);

/* A bar on a terminal while it stages. */
void lc_cast_show_progress(struct lc_cast *cast);

/* lc_cast_stage to cast->dir; if that can be used on no node and 'given' is NULL, to
 * LC_CAST_OTHER_DIR: cast->dir is where it stands then. */
#define LC_CAST_OTHER_DIR "/tmp"
int lc_cast_stage_anywhere(struct lc_cast *cast, struct lc_cast_report *report, const char *given,
                           struct lc_error *err);

/* One line that says what was done; one per node that lacks it. */
void lc_cast_print(const char *who, const struct lc_cast_report *report);
/* What launchers said while it was staged, below our own line. */
void lc_cast_print_said(const struct lc_cast_report *report);
void lc_cast_print_failed(const char *who, const struct lc_cast_report *report);

#endif
