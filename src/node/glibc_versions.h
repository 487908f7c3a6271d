/* SPDX-License-Identifier: MIT */
/* glibc_versions.h - what rests on inner ways of glibc's ld.so, and on which versions.
 * Freestanding.
 *
 * Everything else here uses documented interfaces. What is listed was read in the sources, and
 * tested, from the lowest to the highest minor version given; with any other it is not done. */
#ifndef LC_NODE_GLIBC_VERSIONS_H
#define LC_NODE_GLIBC_VERSIONS_H

#include <link.h>
#include <stdbool.h>

#define LC_GLIBC_PRIVATE(X)                                                                        \
    /* dtv.c: where a thread's table of thread variables is, and what stands in it                 \
     * (sysdeps/generic/dl-dtv.h, nptl's tls.h) */                                                 \
    X(LC_GLIBC_DTV, 28, 41)                                                                        \
    /* absent.c: dlerror()'s text begins with the name of the file that ld.so tried                \
     * (dlfcn/dlerror.c) */                                                                        \
    X(LC_GLIBC_DLERROR, 28, 41)                                                                    \
    /* order.c, ld_cache.c: in which directories ld.so searches for variants of a library, and the \
     * format of ld.so.cache (elf/dl-hwcaps.c, dl-load.c, dl-cache.h). Judged by the stager, from  \
     * the image: libc is searched for, too */                                                     \
    X(LC_GLIBC_SEARCH, 28, 41)                                                                     \
    /* prune.c: when DT_NEEDED is read, and how objects are sorted (elf/dl-deps.c, dl-sort-maps.c; \
     * the sort is that of 2.35) */                                                                \
    X(LC_GLIBC_NEEDED, 35, 41)

enum lc_glibc_private {
#define LC_GLIBC_NAME(name, lowest, highest) name,
    LC_GLIBC_PRIVATE(LC_GLIBC_NAME)
#undef LC_GLIBC_NAME
};

/* LC_GLIBC_DTV_LOWEST, LC_GLIBC_DTV_HIGHEST and so on */
enum {
#define LC_GLIBC_LOWEST(name, lowest, highest) name##_LOWEST = lowest,
    LC_GLIBC_PRIVATE(LC_GLIBC_LOWEST)
#undef LC_GLIBC_LOWEST
#define LC_GLIBC_HIGHEST(name, lowest, highest) name##_HIGHEST = highest,
        LC_GLIBC_PRIVATE(LC_GLIBC_HIGHEST)
#undef LC_GLIBC_HIGHEST
    /* With more objects that have thread variables, ld.so enlarges a table that it must not; our
     * auditor mends that (dtv.h) where glibc is one of those above. */
    LC_GLIBC_SAFE_TLS_OBJECTS = 14,
};

/* An object is there: it may be libc. */
void lc_glibc_learn(const struct link_map *map);

/* Is this process's glibc one of those versions? False while libc is not loaded. To be asked when
 * libc is relocated. */
bool lc_glibc_is_tested(enum lc_glibc_private what);

/* Is this path, which may be NULL, called like glibc's ld.so? */
bool lc_glibc_is_loader(const char *path);

/* Does the name of an object's file start so ("libc.so.")? */
bool lc_glibc_is_called(const struct link_map *map, const char *start);

#endif
