/* SPDX-License-Identifier: MIT */
/* date.h - parse a date that a user typed */
#ifndef LC_UTIL_DATE_H
#define LC_UTIL_DATE_H

#include <stdint.h>

#include "util/error.h"

/* Parse "2026-01-31", "2026-01-31T12:34" (UTC), or a time before now: "7d", "12h". 'what' names the
 * option ("--since") in the message. 0, or -1 with err filled. */
int lc_parse_date(const char *what, const char *text, int64_t *wall_ns, struct lc_error *err);

#endif
