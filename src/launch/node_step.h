/* SPDX-License-Identifier: MIT */
/* node_step.h - one step of staging: a command with one process on every node, and its reports */
#ifndef LC_LAUNCH_NODE_STEP_H
#define LC_LAUNCH_NODE_STEP_H

#include <limits.h>

#include "launch/compose.h"
#include "launch/stage_nodes.h"
#include "launch/step.h"

/* The words that start one process per node; none for this machine alone. 0, or -1 with err filled.
 */
int lc_node_step_words(const struct lc_job_staging *staging, struct lc_argv *out,
                       struct lc_error *err);

/* The launcher whose words these are. */
enum lc_launcher lc_node_step_launcher(const struct lc_argv *start);

/* Path of the node package, node-kit.tgz: the stager and the objects it stages. 'is_small': with a
 * stager that cannot compress, a third as large, for launchers that carry it in their messages. */
void lc_node_package_path(const struct lc_job_staging *staging, bool is_small, char out[PATH_MAX]);

/* Add to step->words the command that brings the stager to each node and starts it there with WORD
 * (stage/stager/main.c), the options of this staging, and 'file'. 0, or -1 with err filled. */
int lc_node_step_add_stager(const struct lc_job_staging *staging, struct lc_composed *step,
                            enum lc_launcher launcher, const char *word, const char *file,
                            struct lc_error *err);

/* Add the options that every stager of this staging gets: directory, identity, patience, and
 * whether there is a job. */
void lc_node_step_add_options(const struct lc_job_staging *staging, struct lc_argv *out);

/* Run the step and collect the reports. 'together': no node can do it without the others. 0, or -1
 * with err filled and errno: ENOEXEC no node answered, else as of lc_step_run. */
int lc_node_step_run(const struct lc_job_staging *staging, struct lc_composed *step, bool together,
                     struct lc_staging_report *report, struct lc_error *err);

/* The same for a step that was started; NULL: it is started here. */
int lc_node_step_follow(const struct lc_job_staging *staging, struct lc_composed *step,
                        struct lc_step_process *process, bool together,
                        struct lc_staging_report *report, struct lc_error *err);

/* Is a step worth repeating? It is always safe to. Two cases: the launcher says that something
 * could not be started, so the loader before the shell may be missing on some node; or a program of
 * MPI crashed, as Open MPI 4.1 and 5.0 sometimes do in MPI_Init under Slurm. Changes *staging for
 * the next try. */
bool lc_node_step_may_repeat(struct lc_job_staging *staging, enum lc_via via,
                             const struct lc_staging_report *report, int rc, int tries);

/* sbcast.c: send the image by Slurm's own broadcast. 'copy' becomes its path in each node's memory.
 * If nodes hold images already and 'whole' is false, a content batch with what they lack is sent
 * instead. *word is what the stager is to do with the copy. 0, or -1 with err filled. */
int lc_sbcast_send(const struct lc_job_staging *staging, const struct lc_argv *start,
                   const char *image, bool whole, char copy[LC_STAGING_PATH], const char **word,
                   struct lc_staging_report *report, struct lc_error *err);

/* Remove the copy on every node. Keeps errno. */
void lc_sbcast_remove(const struct lc_job_staging *staging, const struct lc_argv *start,
                      const char *copy);

#endif
