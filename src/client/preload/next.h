/* SPDX-License-Identifier: MIT */
/* next.h - the next definition of a function that we wrap: the C library's, or another preload
 * object's */
#ifndef LC_PRELOAD_NEXT_H
#define LC_PRELOAD_NEXT_H

#include <stdbool.h>

/* The next definition of a name after ours, as dlsym(RTLD_NEXT) finds it. dlsym itself is not used:
 * with older C libraries it may not be loaded. Never NULL: a function that no object defines is
 * replaced by one that makes the system call (nonshared.c), or that fails with ENOSYS. */
void *lc_next(const char *name);
void *lc_next_or_null(const char *name);

/* The next definition, cached in *known; 'none' as long as there is none: before glibc 2.34 dlopen
 * and the like are in a library that may be loaded later. */
void *lc_next_to_jump(const char *name, void **known, void *none);

/* What the C part of a wrapper in assembler returns, in two registers. */
struct lc_next_answer {
    void *jump; /* the function to jump to; NULL: return 'result' */
    void *result;
};

/* nonshared.c: a function that C libraries before glibc 2.33 lack; NULL if 'name' is not one of
 * these.
 */
void *lc_nonshared(const char *name);

/* The first definition of a function or variable in the whole program, or NULL. */
void *lc_program_symbol(const char *name);

/* The address of what an object itself defines by that name. NULL if it has no such symbol, or if
 * that is anything but an ordinary function or variable without a version. */
struct link_map;
void *lc_definition_in(const struct link_map *map, const char *name);

/* The first definition in the objects behind one in ld.so's list, or NULL. */
void *lc_definition_behind(const struct link_map *map, const char *name);

/* The C library's own, wherever it stands; before glibc 2.34 it may be libdl's. */
void *lc_definition_of_libc(const char *name);

/* The preload's own, or NULL. */
void *lc_definition_of_ours(const char *name);

/* Is it dlopen's handle of the program itself? */
bool lc_is_program(const void *handle);

/* Call the next definition of NAME: NEXT(int, close, (int))(fd). It is looked up once for each use
 * in the source. */
#define NEXT(type, name, arguments)                                         \
    ({                                                                      \
        static void *lc_next_at;                                            \
        void *lc_next_now = __atomic_load_n(&lc_next_at, __ATOMIC_RELAXED); \
        if (!lc_next_now) {                                                 \
            lc_next_now = lc_next(#name);                                   \
            __atomic_store_n(&lc_next_at, lc_next_now, __ATOMIC_RELAXED);   \
        }                                                                   \
        (type(*) arguments) lc_next_now;                                    \
    })

/* Define NAME for the whole program. It is given as an assembler name, so that attributes, 64-bit
 * variants and inline versions in the system's headers do not interfere. */
#define EXPORT(type, name, ...)                       \
    type lc_export_##name(__VA_ARGS__) __asm__(#name) \
        __attribute__((visibility("default"), used)); \
    type lc_export_##name(__VA_ARGS__)

#endif
