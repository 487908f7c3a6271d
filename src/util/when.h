/* SPDX-License-Identifier: MIT */
/* when.h - a moment as people write it */
#ifndef LC_UTIL_WHEN_H
#define LC_UTIL_WHEN_H

#include <stdint.h>

#include "util/error.h"

/* "2026-01-31", "2026-01-31T12:34" (UTC), or how long ago: "7d", "12h". 'what' was asked for it
 * ("--since") and begins the message. 0, or -1 with err filled. */
int lc_parse_when(const char *what, const char *text, int64_t *wall_ns, struct lc_error *err);

#endif
