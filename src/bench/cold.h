/* SPDX-License-Identifier: MIT */
/* cold.h - forget what this host remembers of a tree, or say that it cannot be done */
#ifndef LC_BENCH_COLD_H
#define LC_BENCH_COLD_H

#include "util/error.h"

/* By drop_caches (root), else by posix_fadvise on every file below 'dir', which leaves names and
 * attributes. Whether the pages are really gone is looked at: on a memory file system, or where
 * others use the files, they are not. The means in words, or NULL with err filled: refused. */
const char *lc_cold_here(const char *dir, struct lc_error *err);

#endif
