/* SPDX-License-Identifier: MIT */
/* call_lines.h - read the lines of a pilot's log that its processes have written to memory
 * (node/call_lines.h) */
#ifndef LC_RECORD_CALL_LINES_H
#define LC_RECORD_CALL_LINES_H

#include <stdint.h>

#include "record/seen.h"

/* Add all complete lines of the file; its processes may still run. 0, also if there is no such
 * file, or -1 with err filled. */
int lc_call_lines_read(struct lc_seen *seen, const char *file, struct lc_error *err);

/* How much was written so far. */
uint64_t lc_call_lines_bytes(const char *file);

#endif
