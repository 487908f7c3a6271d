/* SPDX-License-Identifier: MIT */
/* nonshared.c - stat and mknod for glibc before 2.33, where each program had them from
 * libc_nonshared.a
 *
 * Those C libraries export only __xstat and the like. Our own stat may still be called there:
 * by our tree walks, and by programs that find it with dlsym. It is then made of a system call.
 */
#include "client/preload/next.h"

#include <stdint.h>

#include "client/preload/libc.h"
#include "image/bytes.h"
#include "node/syscall.h"

enum { NOFOLLOW = 0x100 };

static int my_stat(const char *path, void *st)
{
    return (int)lc_return(LC_SYS4(__NR_newfstatat, LC_AT_FDCWD, path, st, 0));
}

static int my_lstat(const char *path, void *st)
{
    return (int)lc_return(LC_SYS4(__NR_newfstatat, LC_AT_FDCWD, path, st, NOFOLLOW));
}

static int my_fstat(int fd, void *st)
{
    return (int)lc_return(LC_SYS3(__NR_fstat, fd, st, 0));
}

static int my_fstatat(int dirfd, const char *path, void *st, int flags)
{
    return (int)lc_return(LC_SYS4(__NR_newfstatat, dirfd, path, st, flags));
}

static int my_mknodat(int dirfd, const char *path, unsigned mode, uint64_t dev)
{
    return (int)lc_return(LC_SYS4(__NR_mknodat, dirfd, path, mode, dev));
}

static int my_mknod(const char *path, unsigned mode, uint64_t dev)
{
    return my_mknodat(LC_AT_FDCWD, path, mode, dev);
}

void *lc_nonshared(const char *name)
{
    const struct {
        const char *name;
        void *function;
    } all[] = {
        {"stat", (void *)my_stat},       {"stat64", (void *)my_stat},
        {"lstat", (void *)my_lstat},     {"lstat64", (void *)my_lstat},
        {"fstat", (void *)my_fstat},     {"fstat64", (void *)my_fstat},
        {"fstatat", (void *)my_fstatat}, {"fstatat64", (void *)my_fstatat},
        {"mknod", (void *)my_mknod},     {"mknodat", (void *)my_mknodat},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (lc_bytes_same(all[i].name, name))
            return all[i].function;
    return NULL;
}
