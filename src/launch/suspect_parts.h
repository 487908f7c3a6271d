/* SPDX-License-Identifier: MIT */
/* suspect_parts.h - what 'run' and 'exec' share of store/suspect.h */
#ifndef LC_LAUNCH_SUSPECT_PARTS_H
#define LC_LAUNCH_SUSPECT_PARTS_H

#include "node/starts.h"
#include "store/suspect.h"
#include "util/error.h"

/* What to switch off if a process died in this part. */
enum lc_off lc_suspect_off_of(enum lc_start_part part);

/* Switch it off for what this process executes, by the variables of node/parts.h; LC_OFF_ALL by
 * LOADCAST=0. */
void lc_suspect_switch_off(enum lc_off off);

/* What is off and why, and what to do, as a sentence. */
void lc_suspect_text(const struct lc_suspect *s, struct lc_error *out);

#endif
