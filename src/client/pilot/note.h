/* SPDX-License-Identifier: MIT */
/* note.h - what the wrappers of the pilot share: recording a call */
#ifndef LC_CLIENT_PILOT_NOTE_H
#define LC_CLIENT_PILOT_NOTE_H

#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "node/call_log.h"

/* NOTE(.call = "openat", .result = ...): record a call; the fields of struct lc_pilot_call. 'dirfd'
 * must always be set. */
#define NOTE(...) lc_pilot_note(&(struct lc_pilot_call){__VA_ARGS__})

static inline long lc_outcome(long result)
{
    return result < 0 ? -(long)lc_get_errno() : result;
}

static inline long lc_outcome_pointer(const void *result)
{
    return result ? 0 : -(long)lc_get_errno();
}

#endif
