/* SPDX-License-Identifier: MIT */
/* change.c - record calls that change names or contents */
#include <linux/fcntl.h>

#include "client/pilot/note.h"

static int note_change(const char *call, int dirfd, const char *path, int result)
{
    if (path)
        NOTE(.call = call, .result = lc_outcome(result), .dirfd = dirfd, .path = path,
             .writes = true);
    return result;
}

static int note_two(const char *call, int from_fd, const char *from, int to_fd, const char *to,
                    int result)
{
    if (from && to)
        NOTE(.call = call, .result = lc_outcome(result), .dirfd = from_fd, .path = from,
             .second_dirfd = to_fd, .second = to, .writes = true);
    return result;
}

/* int name(const char *path, ...): one path, and further arguments by value. */
#define CHANGE_1(call, name)                                                             \
    EXPORT(int, name, const char *path)                                                  \
    {                                                                                    \
        return note_change(call, AT_FDCWD, path, NEXT(int, name, (const char *))(path)); \
    }
#define CHANGE_2(call, name, type)                                                                \
    EXPORT(int, name, const char *path, type a)                                                   \
    {                                                                                             \
        return note_change(call, AT_FDCWD, path, NEXT(int, name, (const char *, type))(path, a)); \
    }
#define CHANGE_3(call, name, type_a, type_b)                                             \
    EXPORT(int, name, const char *path, type_a a, type_b b)                              \
    {                                                                                    \
        return note_change(call, AT_FDCWD, path,                                         \
                           NEXT(int, name, (const char *, type_a, type_b))(path, a, b)); \
    }
#define CHANGE_AT_2(call, name, type)                                                   \
    EXPORT(int, name, int dirfd, const char *path, type a)                              \
    {                                                                                   \
        return note_change(call, dirfd, path,                                           \
                           NEXT(int, name, (int, const char *, type))(dirfd, path, a)); \
    }
#define CHANGE_AT_3(call, name, type_a, type_b)                                       \
    EXPORT(int, name, int dirfd, const char *path, type_a a, type_b b)                \
    {                                                                                 \
        return note_change(                                                           \
            call, dirfd, path,                                                        \
            NEXT(int, name, (int, const char *, type_a, type_b))(dirfd, path, a, b)); \
    }

CHANGE_1("unlinkat", unlink)
CHANGE_1("unlinkat", remove)
CHANGE_1("unlinkat", rmdir)
CHANGE_2("mkdirat", mkdir, unsigned)
CHANGE_2("mknodat", mkfifo, unsigned)
CHANGE_3("mknodat", mknod, unsigned, uint64_t)
CHANGE_2("truncate", truncate, long)
CHANGE_2("truncate", truncate64, long)
CHANGE_2("fchmodat", chmod, unsigned)
CHANGE_3("fchownat", chown, unsigned, unsigned)
CHANGE_3("fchownat", lchown, unsigned, unsigned)
CHANGE_2("utimensat", utime, const void *)
CHANGE_2("utimensat", utimes, const void *)
CHANGE_2("utimensat", lutimes, const void *)
CHANGE_AT_2("unlinkat", unlinkat, int)
CHANGE_AT_2("mkdirat", mkdirat, unsigned)
CHANGE_AT_2("mknodat", mkfifoat, unsigned)
CHANGE_AT_3("mknodat", mknodat, unsigned, uint64_t)
CHANGE_AT_3("fchmodat", fchmodat, unsigned, int)
CHANGE_AT_3("utimensat", utimensat, const void *, int)

EXPORT(int, fchownat, int dirfd, const char *path, unsigned uid, unsigned gid, int flags)
{
    return note_change("fchownat", dirfd, path,
                       NEXT(int, fchownat, (int, const char *, unsigned, unsigned, int))(
                           dirfd, path, uid, gid, flags));
}

EXPORT(int, rename, const char *from, const char *to)
{
    return note_two("renameat2", AT_FDCWD, from, AT_FDCWD, to,
                    NEXT(int, rename, (const char *, const char *))(from, to));
}

EXPORT(int, renameat, int from_fd, const char *from, int to_fd, const char *to)
{
    return note_two(
        "renameat2", from_fd, from, to_fd, to,
        NEXT(int, renameat, (int, const char *, int, const char *))(from_fd, from, to_fd, to));
}

EXPORT(int, renameat2, int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
    return note_two("renameat2", from_fd, from, to_fd, to,
                    NEXT(int, renameat2, (int, const char *, int, const char *, unsigned))(
                        from_fd, from, to_fd, to, flags));
}

EXPORT(int, link, const char *from, const char *to)
{
    return note_two("linkat", AT_FDCWD, from, AT_FDCWD, to,
                    NEXT(int, link, (const char *, const char *))(from, to));
}

EXPORT(int, linkat, int from_fd, const char *from, int to_fd, const char *to, int flags)
{
    return note_two("linkat", from_fd, from, to_fd, to,
                    NEXT(int, linkat, (int, const char *, int, const char *, int))(
                        from_fd, from, to_fd, to, flags));
}

EXPORT(int, symlink, const char *target, const char *path)
{
    return note_change("symlinkat", AT_FDCWD, path,
                       NEXT(int, symlink, (const char *, const char *))(target, path));
}

EXPORT(int, symlinkat, const char *target, int dirfd, const char *path)
{
    return note_change(
        "symlinkat", dirfd, path,
        NEXT(int, symlinkat, (const char *, int, const char *))(target, dirfd, path));
}

/* The C library writes the name it chose to 'path'. */
static int note_temporary(const char *path, int fd)
{
    if (fd >= 0)
        NOTE(.call = "openat", .dirfd = AT_FDCWD, .path = path, .flags = O_RDWR | O_CREAT,
             .writes = true);
    return fd;
}

#define TEMPORARY_1(name)                                             \
    EXPORT(int, name, char *path)                                     \
    {                                                                 \
        return note_temporary(path, NEXT(int, name, (char *))(path)); \
    }
#define TEMPORARY_2(name)                                                     \
    EXPORT(int, name, char *path, int a)                                      \
    {                                                                         \
        return note_temporary(path, NEXT(int, name, (char *, int))(path, a)); \
    }
#define TEMPORARY_3(name)                                                             \
    EXPORT(int, name, char *path, int a, int b)                                       \
    {                                                                                 \
        return note_temporary(path, NEXT(int, name, (char *, int, int))(path, a, b)); \
    }

TEMPORARY_1(mkstemp)
TEMPORARY_1(mkstemp64)
TEMPORARY_2(mkostemp)
TEMPORARY_2(mkostemp64)
TEMPORARY_2(mkstemps)
TEMPORARY_2(mkstemps64)
TEMPORARY_3(mkostemps)
TEMPORARY_3(mkostemps64)

EXPORT(char *, mkdtemp, char *path)
{
    char *result = NEXT(char *, mkdtemp, (char *))(path);

    if (result)
        note_change("mkdirat", AT_FDCWD, result, 0);
    return result;
}
