/* SPDX-License-Identifier: MIT */
/* change.c - calls that change names or contents: the entries they affect are invalidated for every
 * process on the node, then the call is passed through */
#include <linux/fcntl.h>

#include "client/preload/path_query.h"
#include "client/preload/wrappers.h"
#include "client/preload/libc.h"
#include "client/preload/next.h"
#include "image/bytes.h"

#define CONTENT LC_CHANGE_CONTENT
#define ITSELF  LC_CHANGE_ITSELF
#define MAKE    LC_CHANGE_MAKE
#define REMOVE  LC_CHANGE_REMOVE
#define RIGHTS  LC_CHANGE_RIGHTS

enum { EXISTS = 17 /* EEXIST */ };
enum { NOFOLLOW = 0x100, FOLLOW = 0x400 }; /* AT_SYMLINK_... */

/* Make 'call' and return its result; invalidate what the image knows of 'path' before it, and after
 * it where that is needed. */
#define CHANGING(dirfd, path, how, call)                   \
    bool lc_more = lc_invalidate_before(dirfd, path, how); \
    int lc_result = call;                                  \
    if (lc_more && lc_result == 0)                         \
        lc_invalidate_after(dirfd, path, how);             \
    return lc_result

/* int name(const char *path, ...): one path, and further arguments by value. */
#define CHANGE_1(how, name)                                                   \
    EXPORT(int, name, const char *path)                                       \
    {                                                                         \
        CHANGING(AT_FDCWD, path, how, NEXT(int, name, (const char *))(path)); \
    }
#define CHANGE_2(how, name, type)                                                      \
    EXPORT(int, name, const char *path, type a)                                        \
    {                                                                                  \
        CHANGING(AT_FDCWD, path, how, NEXT(int, name, (const char *, type))(path, a)); \
    }
#define CHANGE_3(how, name, type_a, type_b)                                    \
    EXPORT(int, name, const char *path, type_a a, type_b b)                    \
    {                                                                          \
        CHANGING(AT_FDCWD, path, how,                                          \
                 NEXT(int, name, (const char *, type_a, type_b))(path, a, b)); \
    }
#define CHANGE_AT_2(how, name, type)                                                            \
    EXPORT(int, name, int dirfd, const char *path, type a)                                      \
    {                                                                                           \
        CHANGING(dirfd, path, how, NEXT(int, name, (int, const char *, type))(dirfd, path, a)); \
    }
#define CHANGE_AT_3(how, name, type_a, type_b)                                             \
    EXPORT(int, name, int dirfd, const char *path, type_a a, type_b b)                     \
    {                                                                                      \
        CHANGING(dirfd, path, how,                                                         \
                 NEXT(int, name, (int, const char *, type_a, type_b))(dirfd, path, a, b)); \
    }

CHANGE_1(REMOVE, unlink)
CHANGE_1(REMOVE, remove)
CHANGE_1(REMOVE, rmdir)
CHANGE_2(MAKE, mkfifo, unsigned)
CHANGE_3(MAKE, mknod, unsigned, uint64_t)
CHANGE_2(CONTENT, truncate, long)
CHANGE_2(CONTENT, truncate64, long)
CHANGE_2(RIGHTS, chmod, unsigned)
CHANGE_2(ITSELF, lchmod, unsigned)
CHANGE_3(RIGHTS, chown, unsigned, unsigned)
CHANGE_3(ITSELF, lchown, unsigned, unsigned)
CHANGE_2(CONTENT, utime, const void *)
CHANGE_2(CONTENT, utimes, const void *)
CHANGE_2(ITSELF, lutimes, const void *)
CHANGE_2(CONTENT, removexattr, const char *)
CHANGE_2(ITSELF, lremovexattr, const char *)
CHANGE_AT_2(REMOVE, unlinkat, int)
CHANGE_AT_2(MAKE, mkfifoat, unsigned)
CHANGE_AT_2(CONTENT, futimesat, const void *)
CHANGE_AT_3(MAKE, mknodat, unsigned, uint64_t)
CHANGE_AT_3(RIGHTS, fchmodat, unsigned, int)

/* Programs call mkdir to find out whether a directory exists. If the image knows that it does, the
 * answer is EEXIST. */
EXPORT(int, mkdir, const char *path, unsigned mode)
{
    if (lc_is_known_to_exist(AT_FDCWD, path))
        return (int)lc_return(-EXISTS);
    CHANGING(AT_FDCWD, path, MAKE, NEXT(int, mkdir, (const char *, unsigned))(path, mode));
}

EXPORT(int, mkdirat, int dirfd, const char *path, unsigned mode)
{
    if (lc_is_known_to_exist(dirfd, path))
        return (int)lc_return(-EXISTS);
    CHANGING(dirfd, path, MAKE,
             NEXT(int, mkdirat, (int, const char *, unsigned))(dirfd, path, mode));
}

/* The name of mknod in programs that were built before glibc 2.33. */
EXPORT(int, __xmknod, int version, const char *path, unsigned mode, uint64_t *dev)
{
    CHANGING(
        AT_FDCWD, path, MAKE,
        NEXT(int, __xmknod, (int, const char *, unsigned, uint64_t *))(version, path, mode, dev));
}

EXPORT(int, __xmknodat, int version, int dirfd, const char *path, unsigned mode, uint64_t *dev)
{
    CHANGING(dirfd, path, MAKE,
             NEXT(int, __xmknodat,
                  (int, int, const char *, unsigned, uint64_t *))(version, dirfd, path, mode, dev));
}

/* bind() creates the name of a Unix socket in the file system. */
EXPORT(int, bind, int fd, const void *address, unsigned len)
{
    enum { UNIX = 1, BEFORE_PATH = 2, LONGEST = 108 };
    const uint16_t *family = address;
    char path[LONGEST + 1];

    if (address && len > BEFORE_PATH && *family == UNIX) {
        unsigned n = len - BEFORE_PATH < LONGEST ? len - BEFORE_PATH : LONGEST;
        lc_bytes_move(path, (const char *)address + BEFORE_PATH, n);
        path[n] = '\0';
        lc_invalidate_before(AT_FDCWD, path, MAKE);
    }
    return NEXT(int, bind, (int, const void *, unsigned))(fd, address, len);
}

#define CHANGE_ATTRIBUTE(how, name)                                                        \
    EXPORT(int, name, const char *path, const char *key, const void *value, size_t size,   \
           int flags)                                                                      \
    {                                                                                      \
        CHANGING(AT_FDCWD, path, how,                                                      \
                 NEXT(int, name, (const char *, const char *, const void *, size_t, int))( \
                     path, key, value, size, flags));                                      \
    }

CHANGE_ATTRIBUTE(CONTENT, setxattr)
CHANGE_ATTRIBUTE(ITSELF, lsetxattr)

EXPORT(int, fchownat, int dirfd, const char *path, unsigned uid, unsigned gid, int flags)
{
    CHANGING(dirfd, path, flags & NOFOLLOW ? ITSELF : RIGHTS,
             NEXT(int, fchownat, (int, const char *, unsigned, unsigned, int))(dirfd, path, uid,
                                                                               gid, flags));
}

/* Without a path the call changes the file behind the descriptor: see by_descriptor.c. */
EXPORT(int, utimensat, int dirfd, const char *path, const void *times, int flags)
{
    if (!path)
        return lc_set_times_of(dirfd, times, flags);
    CHANGING(
        dirfd, path, flags & NOFOLLOW ? ITSELF : CONTENT,
        NEXT(int, utimensat, (int, const char *, const void *, int))(dirfd, path, times, flags));
}

/* As CHANGING, for a call with two paths. */
#define CHANGING_BOTH(from_fd, from, how, to_fd, to, how_to, call) \
    bool lc_from = lc_invalidate_before(from_fd, from, how);       \
    bool lc_to = lc_invalidate_before(to_fd, to, how_to);          \
    int lc_result = call;                                          \
    if (lc_from && lc_result == 0)                                 \
        lc_invalidate_after(from_fd, from, how);                   \
    if (lc_to && lc_result == 0)                                   \
        lc_invalidate_after(to_fd, to, how_to);                    \
    return lc_result

EXPORT(int, rename, const char *from, const char *to)
{
    CHANGING_BOTH(AT_FDCWD, from, REMOVE, AT_FDCWD, to, REMOVE,
                  NEXT(int, rename, (const char *, const char *))(from, to));
}

EXPORT(int, renameat, int from_fd, const char *from, int to_fd, const char *to)
{
    CHANGING_BOTH(
        from_fd, from, REMOVE, to_fd, to, REMOVE,
        NEXT(int, renameat, (int, const char *, int, const char *))(from_fd, from, to_fd, to));
}

EXPORT(int, renameat2, int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
    CHANGING_BOTH(from_fd, from, REMOVE, to_fd, to, REMOVE,
                  NEXT(int, renameat2, (int, const char *, int, const char *, unsigned))(
                      from_fd, from, to_fd, to, flags));
}

EXPORT(int, link, const char *from, const char *to)
{
    CHANGING_BOTH(AT_FDCWD, from, ITSELF, AT_FDCWD, to, MAKE,
                  NEXT(int, link, (const char *, const char *))(from, to));
}

EXPORT(int, linkat, int from_fd, const char *from, int to_fd, const char *to, int flags)
{
    CHANGING_BOTH(from_fd, from, flags & FOLLOW ? CONTENT : ITSELF, to_fd, to, MAKE,
                  NEXT(int, linkat, (int, const char *, int, const char *, int))(from_fd, from,
                                                                                 to_fd, to, flags));
}

EXPORT(int, symlink, const char *target, const char *path)
{
    CHANGING(AT_FDCWD, path, MAKE, NEXT(int, symlink, (const char *, const char *))(target, path));
}

EXPORT(int, symlinkat, const char *target, int dirfd, const char *path)
{
    CHANGING(dirfd, path, MAKE,
             NEXT(int, symlinkat, (const char *, int, const char *))(target, dirfd, path));
}

/* The C library chooses the name, so only the directory is known beforehand: the template that is
 * passed leads to it. */
#define CHANGE_TEMPORARY(type, name)                \
    EXPORT(type, name, char *path)                  \
    {                                               \
        lc_invalidate_before(AT_FDCWD, path, MAKE); \
        return NEXT(type, name, (char *))(path);    \
    }
#define CHANGE_TEMPORARY_2(name, type_a)                   \
    EXPORT(int, name, char *path, type_a a)                \
    {                                                      \
        lc_invalidate_before(AT_FDCWD, path, MAKE);        \
        return NEXT(int, name, (char *, type_a))(path, a); \
    }
#define CHANGE_TEMPORARY_3(name, type_a, type_b)                      \
    EXPORT(int, name, char *path, type_a a, type_b b)                 \
    {                                                                 \
        lc_invalidate_before(AT_FDCWD, path, MAKE);                   \
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
