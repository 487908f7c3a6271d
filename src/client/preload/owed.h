/* SPDX-License-Identifier: MIT */
/* owed.h - dlopens of what a group has brought: ld.so is told of them when it matters.
 *
 * An object that came with a group has been loaded, relocated and initialised, and the group's root
 * holds it. Opened by itself, ld.so gives it a list of all it needs, for which it reads every name
 * again; that list only matters for a search that does not end in the object itself, and once the
 * root is closed. So its handle, which is its link map, is given out, and the dlopen owed. It is
 * made up for before the root is closed, or when something is looked for that the object does not
 * define. Only in groups whose order does not depend on it (client/bindings/straight.h). */
#ifndef LC_PRELOAD_OWED_H
#define LC_PRELOAD_OWED_H

#include <stdbool.h>

#include "node/dlopen_notes.h"

/* The handle, or NULL: ld.so must be asked. 'slot' is where dlopen's return address stands. */
void *lc_owed_open(struct lc_notes *notes, const char *file, int flags, uintptr_t slot);

/* One dlopen less is owed: dlclose has nothing else to do. */
bool lc_owed_close(struct lc_notes *notes, const void *handle);

/* What an object defines by which a dlopen is owed; else NULL, and none is owed any more. */
void *lc_owed_symbol(struct lc_notes *notes, const void *handle, const char *name);

/* From now on none is owed for what this root brought, NULL: for anything. */
void lc_owed_pay(struct lc_notes *notes, const void *root);

#endif
