/* SPDX-License-Identifier: MIT */
/* programs.h - paths of our own programs, and the embedded Python scripts */
#ifndef LC_BENCH_PROGRAMS_H
#define LC_BENCH_PROGRAMS_H

#include <limits.h>

#include "util/embedded.h"
#include "util/error.h"

struct lc_programs {
    char loadcast[PATH_MAX], rank[PATH_MAX + 16], dummy[PATH_MAX + 16], stormfs[PATH_MAX + 16];
};

/* Find the programs. 0, or -1 with err filled. If only stormfs is missing, its path is empty. */
int lc_programs_find(struct lc_programs *programs, struct lc_error *err);

/* The scripts in scripts/, embedded in the executable (util/embed.c); ends with a zeroed entry. */
extern const struct lc_embedded lc_scripts[];

/* Write an embedded script (scripts/NAME) to 'file', unless the file is the same already. 0, or -1
 * with err filled. */
int lc_script_write(const char *name, const char *file, struct lc_error *err);

/* The text of a script, or NULL. */
const char *lc_script_text(const char *name);

#endif
