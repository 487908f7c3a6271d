/* SPDX-License-Identifier: MIT */
/* glibc_versions.h - what rests on inner ways of glibc, and with which versions. Freestanding.
 *
 * Everything else uses documented interfaces; of struct link_map only what <link.h> shows is read.
 * The layouts of struct stat, dirent and FTW are compiled into every program and cannot change; a
 * test compares them, and all that are copied, with the system's headers (preload/layouts_test.c).
 * What is listed here was read in glibc's sources, and tested, from the lowest to the highest minor
 * version given (doc/tested.md names the systems); with any other version that part is off, and
 * 'loadcast status' says so. The stager judges by the version that the image was recorded with
 * (lc_state.untested), for what is done before the C library is there; where the process can tell
 * its own version, it asks lc_glibc_is_tested.
 *
 * X(part, lowest, highest, what 'status' calls it) */
#ifndef LC_NODE_GLIBC_VERSIONS_H
#define LC_NODE_GLIBC_VERSIONS_H

#include <stdbool.h>
#include <stdint.h>

struct link_map;

#define LC_GLIBC_PARTS(X)                                                                         \
    /* audit/dtv.c: where a thread's table of thread variables is, and what stands in it          \
     * (sysdeps/generic/dl-dtv.h, nptl's tls.h), and malloc's head of a mapped block. Off:        \
     * programs with more than LC_GLIBC_SAFE_TLS_OBJECTS libraries that have such variables       \
     * are started without the auditor */                                                         \
    X(LC_GLIBC_DTV, 28, 41, "room for thread variables of libraries opened later")                \
    /* audit_fit.h: LC_FIT_FREE, the room that ld.so adds for each auditor (elf/dl-tls.c,         \
     * csu/libc-tls.c). Off: none of it is counted on */                                          \
    X(LC_GLIBC_STATIC_TLS, 28, 41, "use of an auditor's spare static TLS")                        \
    /* audit/absent.c: dlerror()'s text begins with the name of the file that ld.so tried         \
     * (dlfcn/dlerror.c) */                                                                       \
    X(LC_GLIBC_DLERROR, 28, 41, "absent libraries answered from node memory")                     \
    /* audit/order.c, ld_cache.c: in which directories ld.so searches for variants of a library,  \
     * and the format of ld.so.cache (elf/dl-hwcaps.c, dl-load.c, sysdeps/generic/dl-cache.h) */  \
    X(LC_GLIBC_SEARCH, 28, 41, "library searches that were not recorded")                         \
    /* bindings/: ld.so relocates a group's objects after la_objopen of the last and before       \
     * la_activity(LA_ACT_CONSISTENT), the last object first, each by the .dynamic it finds then; \
     * constructors run after that (elf/rtld.c, dl-open.c, dl-reloc.c) */                         \
    X(LC_GLIBC_RELOCATION, 28, 41, "replay of symbol bindings")                                   \
    /* bindings/hide_needed.c, load_order.c, dependency_root.c, preload/deferred_dlopen.c,        \
     * dependency_root.c, complete_needed.c: when DT_NEEDED is read, how objects are sorted for   \
     * initialisation and finalisation (elf/dl-deps.c, dl-sort-maps.c; the sort is that of 2.35), \
     * and that dlopen's handle is the link map */                                                \
    X(LC_GLIBC_NEEDED, 35, 41, "needed names hidden from ld.so")                                  \
    /* preload/fts.h: FTS and FTSENT, with the fields that only fts itself uses */                \
    X(LC_GLIBC_FTS, 28, 41, "fts")                                                                \
    /* preload/glob.h: glob_t */                                                                  \
    X(LC_GLIBC_GLOB, 28, 41, "glob")                                                              \
    /* preload/popen.c, system.c: the sizes of posix_spawn_file_actions_t, posix_spawnattr_t and  \
     * sigset_t, and what pthread_cleanup_push is made of */                                      \
    X(LC_GLIBC_SHELL, 28, 41, "system and popen")

enum lc_glibc_part {
#define LC_GLIBC_NAME(name, lowest, highest, text) name,
    LC_GLIBC_PARTS(LC_GLIBC_NAME)
#undef LC_GLIBC_NAME
        LC_GLIBC_PART_COUNT,
};

/* LC_GLIBC_DTV_HIGHEST and so on */
enum {
#define LC_GLIBC_HIGHEST(name, lowest, highest, text) name##_HIGHEST = highest,
    LC_GLIBC_PARTS(LC_GLIBC_HIGHEST)
#undef LC_GLIBC_HIGHEST
    /* If more objects have thread variables, ld.so enlarges a table that it must not enlarge; our
       auditor prevents the damage (dtv.h) for the versions above. DTV_SURPLUS of dl-dtv.h. */
    LC_GLIBC_SAFE_TLS_OBJECTS = 14,
};

/* The parts that were not tested with glibc 2.'minor': bit i for part i. */
uint32_t lc_glibc_untested(unsigned minor);

/* x of "2.x", or 0 if the text is something else. */
unsigned lc_glibc_minor(const char *version);

/* Is glibc 2.'minor' known (not 0) and older than 2.'from'? */
static inline bool lc_glibc_is_before(unsigned minor, unsigned from)
{
    return minor > 0 && minor < from;
}

/* Does this glibc 2.'minor' (0: not known) break programs as soon as there is any auditor? */
bool lc_glibc_audit_is_harmful(unsigned minor);

/* What a part is called for people. */
const char *lc_glibc_part_text(enum lc_glibc_part part);

/* Tell that an object was loaded, which may be libc. */
void lc_glibc_learn(const struct link_map *map);

/* Was the part tested with this process's glibc? False while libc is not loaded; call it when
 * libc is relocated. */
bool lc_glibc_is_tested(enum lc_glibc_part part);

/* Is this path, which may be NULL, called like glibc's ld.so? */
bool lc_glibc_is_loader(const char *path);

/* Does the file name of an object start with this text ("libc.so.")? */
bool lc_glibc_is_called(const struct link_map *map, const char *start);

#endif
