/* SPDX-License-Identifier: MIT */
/* width.h - a launch line for so many ranks on so many nodes, by whatever launcher there is */
#ifndef LC_LAUNCH_WIDTH_H
#define LC_LAUNCH_WIDTH_H

#include <stdbool.h>

#include "util/error.h"
#include "util/run.h"

/* Launchers by name: "auto" (srun inside a Slurm job, mpiexec if MPI is asked for, else plain),
 * "plain" (processes on this host), "mpiexec", "srun", or a template: a line of words with {ranks},
 * {nodes} and {per_node} in it, in front of the program, or around {command}. */

/* Is this a launcher's name or a template? 0, or -1 with err filled. */
int lc_width_check(const char *launcher, struct lc_error *err);

/* The launcher that "auto" stands for here; any other name is returned as it is. Never NULL. */
const char *lc_width_resolve(const char *launcher, bool needs_mpi);

/* Can the launcher be started, and is the allocation large enough? 0, or -1 with err filled. */
int lc_width_possible(const char *launcher, long ranks, long nodes, struct lc_error *err);

/* Append the launch line for 'command' to 'out'. For "plain" that is the command itself with "-n
 * RANKS" behind its first word: that program starts the ranks. 0, or -1 with err filled. */
int lc_width_line(const char *launcher, long ranks, long nodes, const struct lc_argv *command,
                  struct lc_argv *out, struct lc_error *err);

#endif
