/* SPDX-License-Identifier: MIT */
/* staging_options.h - what 'stage' and 'run' share: options for staging, messages, a progress bar
 */
#ifndef LC_CMD_STAGING_OPTIONS_H
#define LC_CMD_STAGING_OPTIONS_H

#include "launch/stage_nodes.h"
#include "util/cli.h"
#include "util/progress.h"

struct lc_staging_options {
    const char *via, *dir, *with, *helper;
    double wait_s;
};

#define LC_STAGING_DEFAULTS                        \
    {                                              \
        .via = "auto", .wait_s = LC_STAGING_WAIT_S \
    }

#define LC_STAGING_OPTIONS(o)                                                                  \
    {0,                                                                                        \
     "via",                                                                                    \
     LC_OPT_CHOICE,                                                                            \
     &(o).via,                                                                                 \
     "WAY",                                                                                    \
     "how the image travels: over MPI, by Slurm's sbcast, or read by each node, in a step "    \
     "before the line (fs) or by its ranks (ranks; run only)",                                 \
     .choices = lc_via_names},                                                                 \
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
         "what starts one process per node, for launchers which are unknown: 'ibrun -ppn 1'"}, \
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

/* Before the options are parsed: take the site's defaults (loadcast.conf) for them, and print what
 * is wrong in that file. */
void lc_staging_take_site_defaults(struct lc_staging_options *o, const char *who, int argc,
                                   char **argv);

/* How messages of a command are printed. */
struct lc_staging_display {
    const char *who; /* the command, before each message */
    bool quiet;
    struct lc_progress bar;
};

/* A staging by these options whose messages and progress are shown by 'display'. */
struct lc_job_staging lc_staging_from_options(const struct lc_staging_options *o,
                                              struct lc_staging_display *display);

#endif
