/* SPDX-License-Identifier: MIT */
/* dependency_root.h - make and open the dependency roots that the auditor asks for; what they are
 * is described in client/bindings/dependency_root.h */
#ifndef LC_PRELOAD_DEPENDENCY_ROOT_H
#define LC_PRELOAD_DEPENDENCY_ROOT_H

#include <stdbool.h>

#include "node/dlopen_notes.h"

/* Open the roots that are asked for. Called by every dlopen, before it is noted; 'slot' is where
 * its return address is on the stack. */
void lc_dependency_root_open_wanted(struct lc_dlopen_notes *notes, uintptr_t slot);

/* Close our own handles of the roots. Called by dlclose: from now on a root is unloaded with the
 * last module that uses it. */
void lc_dependency_root_release(struct lc_dlopen_notes *notes);

/* 'file' is about to be opened RTLD_GLOBAL. If it is a loaded module that uses a root, everything
 * it needs becomes global with it, in the right order. */
void lc_dependency_root_make_global(struct lc_dlopen_notes *notes, const char *file);

/* Has this dlopen call of the current thread returned? 'slot' is where the return address of the
 * current call is on the stack. False if that cannot be told. */
bool lc_opening_call_has_returned(const struct lc_opening_call *call, uintptr_t slot);

/* dependency_root_file.c: an ELF object in memory without code, symbols or initialisers. It has
 * this DT_SONAME and needs 'first' (a path, or NULL), then what 'model' needs. A descriptor of it,
 * or a negative number. */
int lc_dependency_root_file(const struct link_map *model, const char *soname, const char *first);

#endif
