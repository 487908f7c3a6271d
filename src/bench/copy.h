/* SPDX-License-Identifier: MIT */
/* copy.h - a tree to a target, only what is not there yet */
#ifndef LC_BENCH_COPY_H
#define LC_BENCH_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct lc_copied {
    uint64_t files, same, removed, bytes; /* copied; found equal; not in the source any more */
};

/* Make 'to' hold what 'from' holds: a file of equal size, time and mode is taken for equal, others
 * appear whole or not at all; what 'from' lacks is removed, but for Python's bytecode and the name
 * 'keep' directly in it (may be NULL). Bytecode is copied if asked for. Adds to *did. 0, or -1 with
 * err filled. */
int lc_copy_tree(const char *from, const char *to, bool with_bytecode, const char *keep,
                 struct lc_copied *did, struct lc_error *err);

/* Remove a tree. 0, or -1 with err filled; one that is not there is fine. */
int lc_remove_tree(const char *dir, struct lc_error *err);

/* Make a directory with all above it. 0, or -1 with err filled. */
int lc_make_dirs(const char *dir, struct lc_error *err);

#endif
