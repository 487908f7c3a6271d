/* SPDX-License-Identifier: MIT */
/* node_step.h - one step with a process on every node: what brings it there, and what came of it */
#ifndef LC_LAUNCH_CAST_STEP_H
#define LC_LAUNCH_CAST_STEP_H

#include <limits.h>

#include "launch/stage_nodes.h"
#include "launch/compose.h"

/* The words that start one process per node; none for this machine alone. 0, or -1 with err filled.
 */
int lc_cast_start(const struct lc_cast *cast, struct lc_argv *out, struct lc_error *err);

/* Whose words these are. */
enum lc_launcher lc_cast_launcher(const struct lc_argv *start);

/* "--no-job" for a stager, if no job of a scheduler's goes on. */
void lc_cast_add_job(struct lc_argv *out);

/* The file with the stager and what it stages, as all nodes see it. */
void lc_cast_kit(const struct lc_cast *cast, char out[PATH_MAX]);

/* Add the stager, with what brings it to each node; its own words are to be added. 0, or -1 with
 * err filled. */
int lc_cast_add_stager(const struct lc_cast *cast, struct lc_composed *step,
                       enum lc_launcher launcher, struct lc_error *err);

/* Run it and take the reports; 'together' if no node can do without the others. 0, or -1 with err
 * filled and errno: ENOEXEC no node answered, else as of lc_step_run. */
int lc_cast_run(const struct lc_cast *cast, struct lc_composed *step, bool together,
                struct lc_cast_report *report, struct lc_error *err);

/* Is a step worth repeating, which is always safe? Where the launcher says that something could
 * not be started, the loader before the shell may be missing on some node. A program of MPI that
 * crashes may do so by bad luck: Open MPI 4.1 and 5.0 do in MPI_Init under Slurm. *cast is changed
 * for the next try. */
bool lc_cast_may_repeat(struct lc_cast *cast, enum lc_via via, const struct lc_cast_report *report,
                        int rc, int tries);

#endif
