/* SPDX-License-Identifier: MIT */
/* ld_cache.h - what ld.so finds by its cache file (ldconfig(8)). Freestanding.
 *
 * The file's format is glibc's own (sysdeps/generic/dl-cache.h): see glibc_versions.h. */
#ifndef LC_NODE_LD_CACHE_H
#define LC_NODE_LD_CACHE_H

#include <stddef.h>

struct lc_ld_cache {
    const char *data; /* NULL: not read, or not of a format that is known */
    size_t size;
};

/* Read the file into memory of our own, or map it if only root can change it. A file that is
 * missing is a cache without entries. */
struct lc_ld_cache lc_ld_cache_read(const char *path);
void lc_ld_cache_free(struct lc_ld_cache *cache);

/* Is a library by this name in it, for this machine's kind of objects? *path: where, if it is
 * there for every processor of that kind; it lies in the cache's own memory. */
enum lc_cached { LC_CACHED_NOT, LC_CACHED_ONCE, LC_CACHED_UNKNOWN };
enum lc_cached lc_ld_cache_find(const struct lc_ld_cache *cache, const char *name,
                                const char **path);

#endif
