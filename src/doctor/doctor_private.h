/* SPDX-License-Identifier: MIT */
/* doctor_private.h - what the files of a comparison share */
#ifndef LC_DOCTOR_PRIVATE_H
#define LC_DOCTOR_PRIVATE_H

#include "doctor/doctor.h"

/* plan.c: append a run to the list. */
struct lc_trial *lc_doctor_add(struct lc_doctor *doctor, enum lc_trial_kind kind, const char *key,
                               const char *name);

/* places.c: make the directories for outputs and staged images, and the file that is each run's
 * standard input. 0, or -1 with err filled. */
int lc_doctor_make_places(struct lc_doctor *doctor, struct lc_error *err);
void lc_doctor_remove_places(struct lc_doctor *doctor);
/* Remove what a run has staged, and what it has noted for later runs of its job. */
void lc_doctor_clean_memory(const struct lc_doctor *doctor);
/* Does a process still watch a program of a run? */
bool lc_doctor_has_watcher(const struct lc_doctor *doctor);

/* trial.c: make one run. 0, or -1 with err filled: it says nothing about the command. */
int lc_trial_run(struct lc_doctor *doctor, struct lc_trial *trial, struct lc_error *err);

/* judge.c: learn from the plain runs; set trial->differs and its difference. 0, or -1 with err
 * filled. */
int lc_doctor_learn(struct lc_doctor *doctor, const struct lc_trial *a, const struct lc_trial *b,
                    struct lc_error *err);
/* A third plain run did not follow what was learnt: learn from it, and compare no more than both
 * allow. */
int lc_doctor_relearn(struct lc_doctor *doctor, const struct lc_trial *a, const struct lc_trial *c,
                      struct lc_error *err);
void lc_trial_judge(const struct lc_doctor *doctor, const struct lc_trial *plain,
                    struct lc_trial *trial);
/* Read a file as text, its first bytes if it is large; NULs become another character. The caller
 * frees it. */
char *lc_doctor_read_text(const char *file);

#endif
