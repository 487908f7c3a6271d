/* SPDX-License-Identifier: MIT */
/* programs.h - our own programs and scripts, wherever they are installed */
#ifndef LC_BENCH_PROGRAMS_H
#define LC_BENCH_PROGRAMS_H

#include <limits.h>

#include "util/error.h"

struct lc_programs {
    char loadcast[PATH_MAX], rank[PATH_MAX + 16], dummy[PATH_MAX + 16], stormfs[PATH_MAX + 16];
};

/* 0, or -1 with err filled. A missing stormfs is no failure: its name is then empty. */
int lc_programs_find(struct lc_programs *programs, struct lc_error *err);

/* Write an embedded script (scripts/NAME) to 'file', unless it holds it already. 0, or -1 with err
 * filled. */
int lc_script_write(const char *name, const char *file, struct lc_error *err);

/* The text of one, or NULL. */
const char *lc_script_text(const char *name);

#endif
