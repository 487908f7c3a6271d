/* SPDX-License-Identifier: MIT */
/* copy.h - incremental copy of a directory tree */
#ifndef LC_BENCH_COPY_H
#define LC_BENCH_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct lc_copied {
    uint64_t files, same, removed,
        bytes; /* copied; unchanged; removed because not in the source; copied */
};

/* Make 'to' a copy of 'from'. Files of equal size, mtime and mode are not copied again; others are
 * replaced atomically. Names that 'from' lacks are removed, except Python bytecode and the name
 * 'keep' directly in 'to' (may be NULL). Adds to *did. 0, or -1 with err filled. */
int lc_copy_tree(const char *from, const char *to, bool with_bytecode, const char *keep,
                 struct lc_copied *did, struct lc_error *err);

/* Remove a tree. 0, or -1 with err filled; one that is not there is fine. */
int lc_remove_tree(const char *dir, struct lc_error *err);

/* Make a directory with all above it. 0, or -1 with err filled. */
int lc_make_dirs(const char *dir, struct lc_error *err);

#endif
