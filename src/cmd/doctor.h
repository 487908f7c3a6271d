/* SPDX-License-Identifier: MIT */
/* doctor.h - what 'loadcast doctor' prints for people */
#ifndef LC_CMD_DOCTOR_H
#define LC_CMD_DOCTOR_H

#include "doctor/doctor.h"
#include "doctor/machine.h"

/* --dry-run: each run with its purpose. */
void lc_doctor_print_plan(const struct lc_doctor *doctor);

/* While it works: a line for each run, on standard error. */
void lc_doctor_print_trial(void *arg, const struct lc_trial *trial);

/* The verdict, and what to do. 'bundle': the file that was written, or NULL. */
void lc_doctor_print_verdict(const struct lc_doctor *doctor, const char *bundle);

void lc_machine_print(const struct lc_machine_findings *machine);

#endif
