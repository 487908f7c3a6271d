/* SPDX-License-Identifier: MIT */
/* doctor_json.h - results as JSON */
#ifndef LC_DOCTOR_JSON_H
#define LC_DOCTOR_JSON_H

#include <jansson.h>

#include "doctor/doctor.h"
#include "doctor/machine.h"

/* The caller owns the result. 'command' is our own command line. */
json_t *lc_doctor_json(const struct lc_doctor *doctor, char *const *command);
json_t *lc_machine_json(const struct lc_machine_findings *machine, char *const *command);

#endif
