/* SPDX-License-Identifier: MIT */
/* list.c - directories listed and entered */
#include <linux/fcntl.h>

#include "client/pilot/note.h"

static void note_list(int dirfd, const char *path, long outcome)
{
    NOTE(.call = "getdents64", .result = outcome, .dirfd = dirfd, .path = path);
}

EXPORT(void *, opendir, const char *path)
{
    void *dir = NEXT(void *, opendir, (const char *))(path);

    note_list(AT_FDCWD, path, lc_outcome_pointer(dir));
    return dir;
}

EXPORT(void *, fdopendir, int fd)
{
    void *dir = NEXT(void *, fdopendir, (int))(fd);

    if (dir)
        note_list(fd, NULL, 0);
    return dir;
}

#define DEFINE_SCANDIR(name)                                                                      \
    EXPORT(int, name, const char *path, void *result, void *filter, void *order)                  \
    {                                                                                             \
        int n =                                                                                   \
            NEXT(int, name, (const char *, void *, void *, void *))(path, result, filter, order); \
        note_list(AT_FDCWD, path, n < 0 ? lc_outcome(n) : 0);                                     \
        return n;                                                                                 \
    }

DEFINE_SCANDIR(scandir)
DEFINE_SCANDIR(scandir64)

/* glob asks through functions that can be given. Its structure as glibc has it. */
struct glob {
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

enum { ALTDIRFUNC = 1 << 6 };

static void close_for_glob(void *dir)
{
    NEXT(int, closedir, (void *))(dir);
}

static void *read_for_glob(void *dir)
{
    return NEXT(void *, readdir64, (void *))(dir);
}

extern int lc_glob_lstat(const char *, void *) __asm__("lstat64");
extern int lc_glob_stat(const char *, void *) __asm__("stat64");

typedef int (*glob_error_fn)(const char *, int);

#define DEFINE_GLOB(name)                                                                     \
    EXPORT(int, name, const char *pattern, int flags, glob_error_fn on_error, struct glob *g) \
    {                                                                                         \
        bool is_plain = !(flags & ALTDIRFUNC);                                                \
        if (is_plain) {                                                                       \
            g->closedir = close_for_glob;                                                     \
            g->readdir = read_for_glob;                                                       \
            g->opendir = lc_export_opendir;                                                   \
            g->lstat = lc_glob_lstat;                                                         \
            g->stat = lc_glob_stat;                                                           \
        }                                                                                     \
        int result = NEXT(int, name, (const char *, int, glob_error_fn, struct glob *))(      \
            pattern, flags | ALTDIRFUNC, on_error, g);                                        \
        if (is_plain)                                                                         \
            g->flags &= ~ALTDIRFUNC;                                                          \
        return result;                                                                        \
    }

DEFINE_GLOB(glob)
DEFINE_GLOB(glob64)

EXPORT(int, chdir, const char *path)
{
    int result = NEXT(int, chdir, (const char *))(path);

    /* A relative path would now start from its end. */
    NOTE(.call = "chdir", .result = lc_outcome(result), .dirfd = AT_FDCWD,
         .path = result == 0 && path[0] != '/' ? NULL : path);
    return result;
}

EXPORT(int, fchdir, int fd)
{
    int result = NEXT(int, fchdir, (int))(fd);

    if (result == 0)
        NOTE(.call = "fchdir", .dirfd = AT_FDCWD);
    return result;
}
