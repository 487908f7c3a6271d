/* SPDX-License-Identifier: MIT */
/* list.c - record directories that are listed or entered */
#include <linux/fcntl.h>

#include "client/preload/libc_names.h"
#include "client/pilot/note.h"
#include "client/preload/glob.h"

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

LC_LIBC_SCANDIR(DEFINE_SCANDIR)

static void close_for_glob(void *dir)
{
    NEXT(int, closedir, (void *))(dir);
}

static void *read_for_glob(void *dir)
{
    return NEXT(void *, readdir64, (void *))(dir);
}

LC_DEFINE_GLOB(glob, true, lc_export_opendir, read_for_glob, close_for_glob)
LC_DEFINE_GLOB(glob64, true, lc_export_opendir, read_for_glob, close_for_glob)

EXPORT(int, chdir, const char *path)
{
    int result = NEXT(int, chdir, (const char *))(path);

    /* A relative path would now be resolved from the new directory. Without a path, the new
     * directory itself is recorded. */
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
