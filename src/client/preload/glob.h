/* SPDX-License-Identifier: MIT */
/* glob.h - glob with functions of ours for everything it asks */
#ifndef LC_PRELOAD_GLOB_H
#define LC_PRELOAD_GLOB_H

#include <stdbool.h>
#include <stddef.h>

#include "client/preload/next.h"

/* Its structure as glibc has it. */
struct lc_glob {
    size_t pathc;
    char **pathv;
    size_t offs;
    int flags;
    void (*closedir)(void *);
    void *(*readdir)(void *);
    void *(*opendir)(const char *);
    int (*lstat)(const char *, void *);
    int (*stat)(const char *, void *);
};

enum { LC_GLOB_ALTDIRFUNC = 1 << 9 };

extern int lc_glob_lstat(const char *, void *) __asm__("lstat64");
extern int lc_glob_stat(const char *, void *) __asm__("stat64");

typedef int (*lc_glob_error_fn)(const char *, int);

/* The C library takes escapes out of a pattern only when it asks by its own functions. */
static inline bool lc_glob_takes_ours(const char *pattern, int flags)
{
    while (*pattern && *pattern != '\\')
        pattern++;
    return !*pattern && !(flags & LC_GLOB_ALTDIRFUNC);
}

/* Define glob or glob64, asking by the given functions for listings while 'condition' holds. */
#define LC_DEFINE_GLOB(name, condition, open_dir, read_dir, close_dir)                         \
    EXPORT(int, name, const char *pattern, int flags, lc_glob_error_fn on_error,               \
           struct lc_glob *g)                                                                  \
    {                                                                                          \
        bool is_ours = (condition) && lc_glob_takes_ours(pattern, flags);                      \
        if (is_ours) {                                                                         \
            g->closedir = close_dir;                                                           \
            g->readdir = read_dir;                                                             \
            g->opendir = open_dir;                                                             \
            g->lstat = lc_glob_lstat;                                                          \
            g->stat = lc_glob_stat;                                                            \
            flags |= LC_GLOB_ALTDIRFUNC;                                                       \
        }                                                                                      \
        int result = NEXT(int, name, (const char *, int, lc_glob_error_fn, struct lc_glob *))( \
            pattern, flags, on_error, g);                                                      \
        if (is_ours)                                                                           \
            g->flags &= ~LC_GLOB_ALTDIRFUNC;                                                   \
        return result;                                                                         \
    }

#endif
