/* SPDX-License-Identifier: MIT */
/* step_environment.h - the environment that our own steps are started in
 *
 * Each start of a launcher searches the directories of LD_LIBRARY_PATH and PATH, on the first node
 * and on all others. Where they lie on the file systems that the image manages, a step of ours
 * would cost as many look-ups as the job's own start. So our steps start without these directories,
 * if the launcher needs none of them. The launch line itself keeps the user's environment. */
#ifndef LC_LAUNCH_STEP_ENVIRONMENT_H
#define LC_LAUNCH_STEP_ENVIRONMENT_H

#include "launch/launcher_facts.h"
#include "util/run.h"

struct lc_step_environment {
    struct lc_argv changes;  /* "NAME=VALUE" to set, "NAME" to unset; empty: the user's own */
    char fact[LC_FACT_NAME]; /* says whether the changes are used; "": not known */
};

/* Find the changes for the launcher 'program', whose steps may start the MPI program 'helper' (may
 * be NULL): managed directories of the image file are taken out of the lists that programs are
 * searched for in. No changes where the launcher's or helper's libraries would not be found then.
 */
void lc_step_environment_make(struct lc_step_environment *out, const char *image,
                              const char *program, const char *helper);

/* A step has failed in this environment: from now on, and in later runs, the user's own is used. */
void lc_step_environment_refuse(struct lc_step_environment *environment);

/* What a step needs beside that: nothing of ours depends on where devices are, for which the hwloc
 * of a launcher looks on each node. Variables that the user has set are kept. */
void lc_step_environment_add(struct lc_argv *environment);

void lc_step_environment_free(struct lc_step_environment *environment);

#endif
