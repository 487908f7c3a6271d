/* SPDX-License-Identifier: MIT */
/* change.c - calls that change names or contents: passed through, after what they touch has been
 * taken out of service for every process on the node */
#include <linux/fcntl.h>

#include "client/preload/ask.h"
#include "client/preload/next.h"

enum { FOLLOW = 0, NAME = LC_ASK_NOFOLLOW }; /* does the call mean a link, or what it points at? */

/* int name(const char *path, ...): one path, and further arguments by value. */
#define CHANGE_1(how, name)                           \
    EXPORT(int, name, const char *path)               \
    {                                                 \
        lc_note_change(AT_FDCWD, path, how);          \
        return NEXT(int, name, (const char *))(path); \
    }
#define CHANGE_2(how, name, type)                              \
    EXPORT(int, name, const char *path, type a)                \
    {                                                          \
        lc_note_change(AT_FDCWD, path, how);                   \
        return NEXT(int, name, (const char *, type))(path, a); \
    }
#define CHANGE_3(how, name, type_a, type_b)                                 \
    EXPORT(int, name, const char *path, type_a a, type_b b)                 \
    {                                                                       \
        lc_note_change(AT_FDCWD, path, how);                                \
        return NEXT(int, name, (const char *, type_a, type_b))(path, a, b); \
    }
#define CHANGE_AT_2(how, name, type)                                       \
    EXPORT(int, name, int dirfd, const char *path, type a)                 \
    {                                                                      \
        lc_note_change(dirfd, path, how);                                  \
        return NEXT(int, name, (int, const char *, type))(dirfd, path, a); \
    }
#define CHANGE_AT_3(how, name, type_a, type_b)                                          \
    EXPORT(int, name, int dirfd, const char *path, type_a a, type_b b)                  \
    {                                                                                   \
        lc_note_change(dirfd, path, how);                                               \
        return NEXT(int, name, (int, const char *, type_a, type_b))(dirfd, path, a, b); \
    }

CHANGE_1(NAME, unlink)
CHANGE_1(NAME, remove)
CHANGE_1(NAME, rmdir)
CHANGE_2(NAME, mkdir, unsigned)
CHANGE_2(NAME, mkfifo, unsigned)
CHANGE_3(NAME, mknod, unsigned, uint64_t)
CHANGE_2(FOLLOW, truncate, long)
CHANGE_2(FOLLOW, truncate64, long)
CHANGE_2(FOLLOW, chmod, unsigned)
CHANGE_3(FOLLOW, chown, unsigned, unsigned)
CHANGE_3(FOLLOW, lchown, unsigned, unsigned)
CHANGE_2(FOLLOW, utime, const void *)
CHANGE_2(FOLLOW, utimes, const void *)
CHANGE_2(FOLLOW, lutimes, const void *)
CHANGE_AT_2(NAME, unlinkat, int)
CHANGE_AT_2(NAME, mkdirat, unsigned)
CHANGE_AT_2(NAME, mkfifoat, unsigned)
CHANGE_AT_3(NAME, mknodat, unsigned, uint64_t)
CHANGE_AT_3(FOLLOW, fchmodat, unsigned, int)
CHANGE_AT_3(FOLLOW, utimensat, const void *, int)

EXPORT(int, fchownat, int dirfd, const char *path, unsigned uid, unsigned gid, int flags)
{
    lc_note_change(dirfd, path, FOLLOW);
    return NEXT(int, fchownat, (int, const char *, unsigned, unsigned, int))(dirfd, path, uid, gid,
                                                                             flags);
}

EXPORT(int, rename, const char *from, const char *to)
{
    lc_note_change(AT_FDCWD, from, NAME);
    lc_note_change(AT_FDCWD, to, NAME);
    return NEXT(int, rename, (const char *, const char *))(from, to);
}

EXPORT(int, renameat, int from_fd, const char *from, int to_fd, const char *to)
{
    lc_note_change(from_fd, from, NAME);
    lc_note_change(to_fd, to, NAME);
    return NEXT(int, renameat, (int, const char *, int, const char *))(from_fd, from, to_fd, to);
}

EXPORT(int, renameat2, int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
    lc_note_change(from_fd, from, NAME);
    lc_note_change(to_fd, to, NAME);
    return NEXT(int, renameat2, (int, const char *, int, const char *, unsigned))(from_fd, from,
                                                                                  to_fd, to, flags);
}

EXPORT(int, link, const char *from, const char *to)
{
    lc_note_change(AT_FDCWD, from, NAME);
    lc_note_change(AT_FDCWD, to, NAME);
    return NEXT(int, link, (const char *, const char *))(from, to);
}

EXPORT(int, linkat, int from_fd, const char *from, int to_fd, const char *to, int flags)
{
    lc_note_change(from_fd, from, NAME);
    lc_note_change(to_fd, to, NAME);
    return NEXT(int, linkat, (int, const char *, int, const char *, int))(from_fd, from, to_fd, to,
                                                                          flags);
}

EXPORT(int, symlink, const char *target, const char *path)
{
    lc_note_change(AT_FDCWD, path, NAME);
    return NEXT(int, symlink, (const char *, const char *))(target, path);
}

EXPORT(int, symlinkat, const char *target, int dirfd, const char *path)
{
    lc_note_change(dirfd, path, NAME);
    return NEXT(int, symlinkat, (const char *, int, const char *))(target, dirfd, path);
}

/* The name is made up on the way: its directory counts. */
#define CHANGE_TEMPORARY(type, name)             \
    EXPORT(type, name, char *path)               \
    {                                            \
        lc_note_change(AT_FDCWD, path, NAME);    \
        return NEXT(type, name, (char *))(path); \
    }
#define CHANGE_TEMPORARY_2(name, type_a)                   \
    EXPORT(int, name, char *path, type_a a)                \
    {                                                      \
        lc_note_change(AT_FDCWD, path, NAME);              \
        return NEXT(int, name, (char *, type_a))(path, a); \
    }
#define CHANGE_TEMPORARY_3(name, type_a, type_b)                      \
    EXPORT(int, name, char *path, type_a a, type_b b)                 \
    {                                                                 \
        lc_note_change(AT_FDCWD, path, NAME);                         \
        return NEXT(int, name, (char *, type_a, type_b))(path, a, b); \
    }

CHANGE_TEMPORARY(int, mkstemp)
CHANGE_TEMPORARY(int, mkstemp64)
CHANGE_TEMPORARY(char *, mkdtemp)
CHANGE_TEMPORARY_2(mkostemp, int)
CHANGE_TEMPORARY_2(mkostemp64, int)
CHANGE_TEMPORARY_2(mkstemps, int)
CHANGE_TEMPORARY_2(mkstemps64, int)
CHANGE_TEMPORARY_3(mkostemps, int, int)
CHANGE_TEMPORARY_3(mkostemps64, int, int)
