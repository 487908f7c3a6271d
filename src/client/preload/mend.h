/* SPDX-License-Identifier: MIT */
/* mend.h - objects some of whose DT_NEEDED were hidden from ld.so, made whole where it matters */
#ifndef LC_PRELOAD_MEND_H
#define LC_PRELOAD_MEND_H

#include "node/dlopen_notes.h"

extern struct lc_notes loadcast_dlopen_notes __attribute__((visibility("default")));

/* Called by every dlopen: what it brings may rely on what was hidden. */
void lc_mend_before_open(struct lc_notes *notes);

#endif
