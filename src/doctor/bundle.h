/* SPDX-License-Identifier: MIT */
/* bundle.h - what to attach to a report, as one tar file */
#ifndef LC_DOCTOR_BUNDLE_H
#define LC_DOCTOR_BUNDLE_H

#include "doctor/doctor.h"

/* Create the file, mode 0600; it must not exist. A descriptor, or -1 with err filled. */
int lc_bundle_create(const char *file, struct lc_error *err);

/* Write versions, this machine, the runs with their outputs, libraries and counters, the image's
 * index without contents, and the variables that matter, all without credentials. 'command' is our
 * own command line. 0, or -1 with err filled. */
int lc_bundle_write(int fd, const struct lc_doctor *doctor, char *const *command,
                    struct lc_error *err);

#endif
