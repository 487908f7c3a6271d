/* SPDX-License-Identifier: MIT */
/* mpi_step.h - the staging step that sends the image over MPI, also begun before the image is known
 */
#ifndef LC_LAUNCH_MPI_STEP_H
#define LC_LAUNCH_MPI_STEP_H

#include "launch/compose.h"
#include "launch/stage_nodes.h"
#include "launch/step.h"

/* Find the stage-mpi for a launcher; false if there is none. */
bool lc_mpi_step_find_helper(const struct lc_job_staging *staging, enum lc_launcher launcher,
                             char out[PATH_MAX]);

/* Is there a stage-mpi that this launcher can start? */
bool lc_mpi_step_is_possible(const struct lc_job_staging *staging, enum lc_launcher launcher);

/* Add the command of the step to the words that start one process per node. 'is_early': as of
 * struct lc_early_step. 0, or -1 with err filled. */
int lc_mpi_step_add(const struct lc_job_staging *staging, struct lc_argv *words, const char *image,
                    bool is_early, enum lc_launcher launcher, struct lc_error *err);

/* A step that was started before the image was checked: the nodes get the image as it was recorded,
 * and publish it when the first process of the step reads from its standard input, which launchers
 * carry there, that the check has found it true. If it names another image, the nodes get that one
 * instead. Zeroed at first. */
struct lc_early_step {
    struct lc_step_process process;
    struct lc_composed step;
};

/* Start it; failures are not reported, lc_early_step_is_begun is false then. */
void lc_early_step_begin(const struct lc_job_staging *staging, const struct lc_argv *start,
                         enum lc_launcher launcher, struct lc_early_step *early);
bool lc_early_step_is_begun(const struct lc_early_step *early); /* NULL: no */
/* Name the image to staging->early and collect the reports, as lc_node_step_run. */
int lc_early_step_go(const struct lc_job_staging *staging, const char *image,
                     struct lc_staging_report *report, struct lc_error *err);
/* End it if it was not used, and free it. */
void lc_early_step_end(struct lc_early_step *early);

#endif
