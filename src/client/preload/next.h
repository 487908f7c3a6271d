/* SPDX-License-Identifier: MIT */
/* next.h - the function we stand in front of: the C library's, or another preload's */
#ifndef LC_PRELOAD_NEXT_H
#define LC_PRELOAD_NEXT_H

/* The next definition of a name after ours, as dlsym(RTLD_NEXT) finds it, but without needing
 * dlsym, which programs of older C libraries may not have loaded. Never NULL: what does not exist
 * anywhere is made of a system call (nonshared.h) or fails with ENOSYS. */
void *lc_next(const char *name);
void *lc_next_or_null(const char *name);

/* The next definition, kept in 'known'; 'none' while there is none: before glibc 2.34 dlopen and
 * its kin may come with a library that is loaded later. */
void *lc_next_to_jump(const char *name, void **known, void *none);

/* What a wrapper in assembler is told: it comes in the two registers of a result. */
struct lc_next_answer {
    void *jump; /* NULL: 'result' it is */
    void *result;
};

/* The first definition of a function or variable in the whole program, or NULL. */
void *lc_program_symbol(const char *name);

/* What an object itself defines by that name, as dlsym would find it in it: NULL if it defines no
 * such thing, or anything but an ordinary function or variable without a version. */
struct link_map;
void *lc_definition_in(const struct link_map *map, const char *name);

/* The first definition in the objects behind one in ld.so's list, or NULL. */
void *lc_definition_behind(const struct link_map *map, const char *name);

/* The C library's own, wherever it stands; before glibc 2.34 it may be libdl's. */
void *lc_definition_of_libc(const char *name);

/* Call the next NAME: NEXT(int, close, (int))(fd). Looked up once per place. */
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

/* Define NAME for the whole program. By assembler name, so that no header's idea of it (attributes,
 * 64-bit spellings, inline versions) gets in the way. */
#define EXPORT(type, name, ...)                       \
    type lc_export_##name(__VA_ARGS__) __asm__(#name) \
        __attribute__((visibility("default"), used)); \
    type lc_export_##name(__VA_ARGS__)

#endif
