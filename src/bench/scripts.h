/* SPDX-License-Identifier: MIT */
/* scripts.h - the Python scripts in scripts/, carried inside the executable (util/embed.c) */
#ifndef LC_BENCH_SCRIPTS_H
#define LC_BENCH_SCRIPTS_H

#include "util/embedded.h"

extern const struct lc_embedded lc_scripts[]; /* ends with a zeroed entry */

#endif
