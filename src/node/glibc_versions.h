/* SPDX-License-Identifier: MIT */
/* glibc_versions.h - what depends on internals of glibc's ld.so, and for which versions it was
 * tested. Freestanding.
 *
 * Everything else in this program uses documented interfaces. Each item below was checked in
 * glibc's sources, and tested, from the lowest to the highest minor version given; with other
 * versions it is switched off. */
#ifndef LC_NODE_GLIBC_VERSIONS_H
#define LC_NODE_GLIBC_VERSIONS_H

#include <link.h>
#include <stdbool.h>

#define LC_GLIBC_PRIVATE(X)                                                                        \
    /* refuse.c: ld.so gives up on an object by _dl_signal_error, which libc or ld.so export       \
     * (elf/dl-error-skeleton.c, later dl-catch.c) */                                              \
    X(LC_GLIBC_SIGNAL_ERROR, 28, 41)                                                               \
    /* dtv.c: where a thread's table of thread variables is, and what stands in it                 \
     * (sysdeps/generic/dl-dtv.h, nptl's tls.h) */                                                 \
    X(LC_GLIBC_DTV, 28, 41)                                                                        \
    /* quiet.c: open_path() asks for a directory by the text on its stack that it gave to the      \
     * auditor (elf/dl-load.c). Judged by the stager, from the image: libc is searched for, too */ \
    X(LC_GLIBC_OPEN_PATH, 28, 41)                                                                  \
    /* hide_needed.c: when DT_NEEDED is read, and how objects are sorted (elf/dl-deps.c,           \
     * dl-sort-maps.c; the sort is that of 2.35) */                                                \
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
    /* If more objects have thread variables, ld.so enlarges a table that it must not enlarge; our
       auditor prevents the damage (dtv.h) for the versions above. */
    LC_GLIBC_SAFE_TLS_OBJECTS = 14,
};

/* Tell that an object was loaded, which may be libc. */
void lc_glibc_learn(const struct link_map *map);

/* Is this process's glibc one of the tested versions? False while libc is not loaded; call it when
 * libc is relocated. */
bool lc_glibc_is_tested(enum lc_glibc_private what);

/* Does the file name of an object start with this text ("libc.so.")? */
bool lc_glibc_is_called(const struct link_map *map, const char *start);

#endif
