/* SPDX-License-Identifier: MIT */
/* cache.h - which /etc/ld.so.cache this node has: search results hold for one only */
#ifndef LC_STAGE_CACHE_H
#define LC_STAGE_CACHE_H

#include "node/format.h"

/* All zero if there is none, or if it cannot be read. */
struct lc_cache lc_cache_read(void);

#endif
