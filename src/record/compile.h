/* SPDX-License-Identifier: MIT */
/* compile.h - modules whose bytecode the pilot missed, compiled into the image */
#ifndef LC_RECORD_COMPILE_H
#define LC_RECORD_COMPILE_H

#include "record/pack.h"
#include "record/resolve.h"

/* For each .pyc that the pilot asked for in vain, or that is outdated or unreadable, and whose
 * source is managed. What cannot be compiled is left out and counted. 0, or -1 with ENOMEM. */
int lc_compile_modules(struct lc_pack *pack, struct lc_packed *did, const struct lc_resolution *r);

#endif
