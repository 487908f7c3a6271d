/* SPDX-License-Identifier: MIT */
/* complete_needed.h - complete ld.so's dependency lists of objects some of whose DT_NEEDED entries
 * were hidden from it.
 *
 * The entries are visible again, so it is enough to open such an object by itself for a moment:
 * ld.so then makes the complete list. That is done before the root of its group is closed, and
 * before the end of the program if something loaded later depends on it
 * (client/bindings/hide_needed.h). */
#ifndef LC_PRELOAD_COMPLETE_NEEDED_H
#define LC_PRELOAD_COMPLETE_NEEDED_H

#include "node/dlopen_notes.h"

extern struct lc_dlopen_notes loadcast_dlopen_notes __attribute__((visibility("default")));

/* Complete the lists of all objects that this root loaded (NULL: of all objects). */
void lc_complete_needed(struct lc_dlopen_notes *notes, const void *root);

/* Called by every dlopen. Registers what is to be done at the end of the program, once. */
void lc_complete_needed_at_exit(struct lc_dlopen_notes *notes);

#endif
