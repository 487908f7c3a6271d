/* SPDX-License-Identifier: MIT */
/* hub.h - make and open what modules lean on; see client/bindings/hub.h */
#ifndef LC_PRELOAD_HUB_H
#define LC_PRELOAD_HUB_H

#include <stdbool.h>

#include "node/dlopen_notes.h"

/* Called by every dlopen, before it is noted; 'slot' is where its return address stands. */
void lc_hub_open_wanted(struct lc_notes *notes, uintptr_t slot);

/* Has a call returned, in this thread, whose return address 'caller' stood at 'was'? */
bool lc_hub_has_returned(uintptr_t was, uintptr_t caller, uintptr_t slot);

/* Called by dlclose: from now on hubs live as long as those that lean on them. */
void lc_hub_let_go(struct lc_notes *notes);

/* 'file' is opened RTLD_GLOBAL. */
void lc_hub_make_global(struct lc_notes *notes, const char *file);

#endif
