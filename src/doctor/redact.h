/* SPDX-License-Identifier: MIT */
/* redact.h - take out of a report what looks like a credential */
#ifndef LC_DOCTOR_REDACT_H
#define LC_DOCTOR_REDACT_H

#include <jansson.h>

#include "util/buf.h"

/* Append the text, line by line, without what looks like a password or token, without the values of
 * this process's variables that are named like one, and without paths where users keep
 * credentials. */
void lc_redact(struct lc_buf *out, const char *text);

/* The same for every string in a JSON value, in place. */
void lc_redact_json(json_t *value);

#endif
