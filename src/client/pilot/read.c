/* SPDX-License-Identifier: MIT */
/* read.c - record calls that only read: each is made first, then recorded with its result */
#include <linux/fcntl.h>

#include "client/preload/libc_names.h"
#include "client/pilot/note.h"
#include "client/pilot/watched.h"

extern char **environ __attribute__((weak));

enum { EMPTY_PATH = 0x1000, NOFOLLOW = 0x100, TMPFILE = 020000000 };

__attribute__((constructor)) static void pilot_start(int argc, char **argv, char **env)
{
    static const char name[] = LC_PILOT_VARIABLE "=";

    for (char **v = env; v && *v; v++) {
        size_t i = 0;
        while (name[i] && (*v)[i] == name[i])
            i++;
        if (!name[i])
            lc_pilot_log_to(*v + i);
    }
    lc_watched_begin(argc, argv, env);
    lc_hold_begin();
}

static bool needs_mode(int flags)
{
    return flags & (O_CREAT | TMPFILE);
}

static int note_open(int dirfd, const char *path, int flags, int fd)
{
    bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC | TMPFILE));

    NOTE(.call = "openat", .result = lc_outcome(fd), .dirfd = dirfd, .path = path,
         .flags = (unsigned)flags, .writes = writes);
    return fd;
}

#define VARIADIC_MODE(last)                                                      \
    __builtin_va_list lc_list;                                                   \
    __builtin_va_start(lc_list, last);                                           \
    unsigned mode = needs_mode(flags) ? __builtin_va_arg(lc_list, unsigned) : 0; \
    __builtin_va_end(lc_list)

#define DEFINE_OPEN(name)                                                               \
    EXPORT(int, name, const char *path, int flags, ...)                                 \
    {                                                                                   \
        VARIADIC_MODE(flags);                                                           \
        return note_open(AT_FDCWD, path, flags,                                         \
                         NEXT(int, name, (const char *, int, ...))(path, flags, mode)); \
    }
#define DEFINE_OPENAT(name)                                                            \
    EXPORT(int, name, int dirfd, const char *path, int flags, ...)                     \
    {                                                                                  \
        VARIADIC_MODE(flags);                                                          \
        return note_open(                                                              \
            dirfd, path, flags,                                                        \
            NEXT(int, name, (int, const char *, int, ...))(dirfd, path, flags, mode)); \
    }
#define DEFINE_OPEN_2(name)                                                  \
    EXPORT(int, name, const char *path, int flags)                           \
    {                                                                        \
        return note_open(AT_FDCWD, path, flags,                              \
                         NEXT(int, name, (const char *, int))(path, flags)); \
    }
#define DEFINE_OPENAT_2(name)                                                            \
    EXPORT(int, name, int dirfd, const char *path, int flags)                            \
    {                                                                                    \
        return note_open(dirfd, path, flags,                                             \
                         NEXT(int, name, (int, const char *, int))(dirfd, path, flags)); \
    }
#define DEFINE_CREAT(name)                                                       \
    EXPORT(int, name, const char *path, unsigned mode)                           \
    {                                                                            \
        return note_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC,           \
                         NEXT(int, name, (const char *, unsigned))(path, mode)); \
    }

LC_LIBC_OPEN(DEFINE_OPEN)
LC_LIBC_OPENAT(DEFINE_OPENAT)
LC_LIBC_OPEN_2(DEFINE_OPEN_2)
LC_LIBC_OPENAT_2(DEFINE_OPENAT_2)
LC_LIBC_CREAT(DEFINE_CREAT)

static int open_flags_of(const char *mode)
{
    bool updates = false;

    for (const char *m = mode; m && *m && *m != ','; m++)
        updates |= *m == '+';
    if (mode && mode[0] == 'r')
        return updates ? O_RDWR : O_RDONLY;
    return (updates ? O_RDWR : O_WRONLY) | O_CREAT;
}

static void *note_stream(const char *path, const char *mode, void *stream)
{
    note_open(AT_FDCWD, path, open_flags_of(mode), stream ? 0 : -1);
    return stream;
}

#define DEFINE_FOPEN(name)                                                                \
    EXPORT(void *, name, const char *path, const char *mode)                              \
    {                                                                                     \
        return note_stream(path, mode,                                                    \
                           NEXT(void *, name, (const char *, const char *))(path, mode)); \
    }
#define DEFINE_FREOPEN(name)                                                              \
    EXPORT(void *, name, const char *path, const char *mode, void *stream)                \
    {                                                                                     \
        void *result =                                                                    \
            NEXT(void *, name, (const char *, const char *, void *))(path, mode, stream); \
        return path ? note_stream(path, mode, result) : result;                           \
    }

LC_LIBC_FOPEN(DEFINE_FOPEN)
LC_LIBC_FREOPEN(DEFINE_FREOPEN)

static int note_stat(const char *call, int dirfd, const char *path, int flags, int result)
{
    if (path) /* an empty path, which is not recorded, means the descriptor */
        NOTE(.call = call, .result = lc_outcome(result), .dirfd = dirfd, .path = path,
             .flags = (unsigned)flags);
    return result;
}

#define DEFINE_STAT(name, flags)                                             \
    EXPORT(int, name, const char *path, void *st)                            \
    {                                                                        \
        return note_stat("newfstatat", AT_FDCWD, path, flags,                \
                         NEXT(int, name, (const char *, void *))(path, st)); \
    }
#define DEFINE_XSTAT(name, flags)                                                          \
    EXPORT(int, name, int version, const char *path, void *st)                             \
    {                                                                                      \
        return note_stat("newfstatat", AT_FDCWD, path, flags,                              \
                         NEXT(int, name, (int, const char *, void *))(version, path, st)); \
    }
#define DEFINE_FSTATAT(name)                                                            \
    EXPORT(int, name, int dirfd, const char *path, void *st, int flags)                 \
    {                                                                                   \
        return note_stat(                                                               \
            "newfstatat", dirfd, path, flags,                                           \
            NEXT(int, name, (int, const char *, void *, int))(dirfd, path, st, flags)); \
    }
#define DEFINE_FXSTATAT(name)                                                                      \
    EXPORT(int, name, int version, int dirfd, const char *path, void *st, int flags)               \
    {                                                                                              \
        return note_stat("newfstatat", dirfd, path, flags,                                         \
                         NEXT(int, name, (int, int, const char *, void *, int))(version, dirfd,    \
                                                                                path, st, flags)); \
    }

LC_LIBC_STAT(DEFINE_STAT)
LC_LIBC_XSTAT(DEFINE_XSTAT)
LC_LIBC_FSTATAT(DEFINE_FSTATAT)
LC_LIBC_FXSTATAT(DEFINE_FXSTATAT)

EXPORT(int, statx, int dirfd, const char *path, int flags, unsigned mask, void *sx)
{
    return note_stat(
        "statx", dirfd, path, flags,
        NEXT(int, statx, (int, const char *, int, unsigned, void *))(dirfd, path, flags, mask, sx));
}

#define DEFINE_ACCESS(name)                                                 \
    EXPORT(int, name, const char *path, int mode)                           \
    {                                                                       \
        return note_stat("faccessat", AT_FDCWD, path, 0,                    \
                         NEXT(int, name, (const char *, int))(path, mode)); \
    }

LC_LIBC_ACCESS(DEFINE_ACCESS)

EXPORT(int, faccessat, int dirfd, const char *path, int mode, int flags)
{
    return note_stat("faccessat", dirfd, path, 0,
                     NEXT(int, faccessat, (int, const char *, int, int))(dirfd, path, mode, flags));
}

static long note_link(int dirfd, const char *path, size_t size, long result)
{
    if ((int)size > 0) /* else the kernel does not look at the path */
        NOTE(.call = "readlinkat", .result = lc_outcome(result), .dirfd = dirfd, .path = path);
    return result;
}

EXPORT(long, readlink, const char *path, char *to, size_t size)
{
    return note_link(AT_FDCWD, path, size,
                     NEXT(long, readlink, (const char *, char *, size_t))(path, to, size));
}

EXPORT(long, readlinkat, int dirfd, const char *path, char *to, size_t size)
{
    return note_link(
        dirfd, path, size,
        NEXT(long, readlinkat, (int, const char *, char *, size_t))(dirfd, path, to, size));
}

EXPORT(long, __readlink_chk, const char *path, char *to, size_t size, size_t room)
{
    return note_link(
        AT_FDCWD, path, size,
        NEXT(long, __readlink_chk, (const char *, char *, size_t, size_t))(path, to, size, room));
}

EXPORT(long, __readlinkat_chk, int dirfd, const char *path, char *to, size_t size, size_t room)
{
    return note_link(dirfd, path, size,
                     NEXT(long, __readlinkat_chk, (int, const char *, char *, size_t, size_t))(
                         dirfd, path, to, size, room));
}

static char *note_realpath(const char *path, char *result)
{
    if (path)
        NOTE(.call = "newfstatat", .result = lc_outcome_pointer(result), .dirfd = AT_FDCWD,
             .path = path);
    return result;
}

EXPORT(char *, realpath, const char *path, char *to)
{
    return note_realpath(path, NEXT(char *, realpath, (const char *, char *))(path, to));
}

EXPORT(char *, __realpath_chk, const char *path, char *to, size_t room)
{
    return note_realpath(
        path, NEXT(char *, __realpath_chk, (const char *, char *, size_t))(path, to, room));
}

EXPORT(char *, canonicalize_file_name, const char *path)
{
    return note_realpath(path, NEXT(char *, canonicalize_file_name, (const char *))(path));
}
