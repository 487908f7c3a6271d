/* SPDX-License-Identifier: MIT */
/* drop_caches.h - drop this host's caches of a directory tree, or report that it is impossible */
#ifndef LC_BENCH_DROP_CACHES_H
#define LC_BENCH_DROP_CACHES_H

#include <stdint.h>

#include "util/error.h"

/* Uses /proc/sys/vm/drop_caches (root), else posix_fadvise on every file below 'dir', which leaves
 * names and attributes cached. Then checks that the pages are gone: on a memory file system, or if
 * other processes use the files, they are not. Returns the name of the method, or NULL with err
 * filled. */
const char *lc_drop_caches(const char *dir, struct lc_error *err);

/* Bytes of a tree, or of one file, that are in this host's memory. */
uint64_t lc_cached_bytes(const char *path);

/* How a refusal's text begins, wherever it is quoted; other texts are failures. */
#define LC_COLD_REFUSED "cold is refused"

#endif
