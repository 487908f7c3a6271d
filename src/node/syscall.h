/* SPDX-License-Identifier: MIT */
/* syscall.h - system calls without a C library. Each returns what the kernel returns: a value, or a
 * negative errno. Freestanding; nothing here touches errno, TLS or locks. */
#ifndef LC_NODE_SYSCALL_H
#define LC_NODE_SYSCALL_H

#include <stddef.h>
#include <stdint.h>
#include <asm/unistd.h>

#include "node/arch.h"

static inline long lc_sys6(long nr, long a, long b, long c, long d, long e, long f)
{
    return lc_arch_syscall(nr, a, b, c, d, e, f);
}

#define LC_SYS4(nr, a, b, c, d) lc_sys6(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define LC_SYS3(nr, a, b, c)    LC_SYS4(nr, a, b, c, 0)

enum { LC_AT_FDCWD = -100 };

static inline long lc_sys_open(const char *path, int flags)
{
    return LC_SYS4(__NR_openat, LC_AT_FDCWD, path, flags, 0);
}

static inline long lc_sys_openat(int dirfd, const char *path, int flags, unsigned mode)
{
    return LC_SYS4(__NR_openat, dirfd, path, flags, mode);
}

static inline long lc_sys_close(int fd)
{
    return LC_SYS3(__NR_close, fd, 0, 0);
}

static inline long lc_sys_read(int fd, void *to, size_t size)
{
    return LC_SYS3(__NR_read, fd, to, size);
}

static inline long lc_sys_write(int fd, const void *from, size_t size)
{
    return LC_SYS3(__NR_write, fd, from, size);
}

/* Would a write at the end of a file come near the limit on the size of files (ulimit -f)? The
 * kernel would end the program by SIGXFSZ. The margin is for other processes that write meanwhile.
 */
static inline int lc_sys_is_near_size_limit(int fd, size_t size)
{
    enum { FSIZE = 1, AT_END = 2, MARGIN = 1 << 16 };
    uint64_t limit[2];

    if (LC_SYS4(__NR_prlimit64, 0, FSIZE, 0, limit) < 0 || limit[0] == UINT64_MAX)
        return 0;
    long end = LC_SYS3(__NR_lseek, fd, 0, AT_END); /* a pipe has none */
    return end >= 0 && (uint64_t)end + size + MARGIN > limit[0];
}

/* Write to the end of a file, or to a pipe, in the user's process. */
static inline long lc_sys_append(int fd, const void *from, size_t size)
{
    return lc_sys_is_near_size_limit(fd, size) ? -27 /* EFBIG */ : lc_sys_write(fd, from, size);
}

static inline long lc_sys_readlink(const char *path, char *to, size_t size)
{
    return LC_SYS4(__NR_readlinkat, LC_AT_FDCWD, path, to, size);
}

static inline long lc_sys_getcwd(char *to, size_t size)
{
    return LC_SYS3(__NR_getcwd, to, size, 0);
}

static inline long lc_sys_access(const char *path, int mode)
{
    return LC_SYS3(__NR_faccessat, LC_AT_FDCWD, path, mode);
}

static inline void *lc_sys_mmap(size_t size, int protection, int flags, int fd)
{
    return (void *)lc_sys6(__NR_mmap, 0, (long)size, protection, flags, fd, 0);
}

static inline void lc_sys_munmap(void *at, size_t size)
{
    LC_SYS3(__NR_munmap, at, size, 0);
}

static inline int lc_sys_is_error(const void *mapped)
{
    return (uintptr_t)mapped > (uintptr_t)-4096;
}

#endif
