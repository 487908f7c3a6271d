/* SPDX-License-Identifier: MIT */
/* embedded.h - the programs' sources and the drivers, carried inside the executable (util/embed.c)
 */
#ifndef LC_GEN_EMBEDDED_H
#define LC_GEN_EMBEDDED_H

#include "util/embedded.h"

extern const struct lc_embedded lc_embedded[]; /* ends with a zeroed entry */

#endif
