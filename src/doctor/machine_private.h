/* SPDX-License-Identifier: MIT */
/* machine_private.h - the checks of a machine, one file for each topic */
#ifndef LC_DOCTOR_MACHINE_PRIVATE_H
#define LC_DOCTOR_MACHINE_PRIVATE_H

#include "doctor/machine.h"

/* Add a finding. The result is valid until the next one. */
struct lc_finding *lc_machine_add(struct lc_machine_findings *machine, enum lc_finding_level level,
                                  const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* What to do about the finding. */
void lc_finding_advise(struct lc_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void lc_machine_check_memory(struct lc_machine_findings *machine, const char *dir);
void lc_machine_check_ptrace(struct lc_machine_findings *machine);
void lc_machine_check_launchers(struct lc_machine_findings *machine);
void lc_machine_check_glibc(struct lc_machine_findings *machine);
void lc_machine_check_python(struct lc_machine_findings *machine);
void lc_machine_check_fuse(struct lc_machine_findings *machine);
void lc_machine_check_store(struct lc_machine_findings *machine);
void lc_machine_check_site(struct lc_machine_findings *machine);
void lc_machine_check_shims(struct lc_machine_findings *machine);

#endif
