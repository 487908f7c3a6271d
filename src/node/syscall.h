/* SPDX-License-Identifier: MIT */
/* syscall.h - system calls without a C library. Each returns what the kernel returns: a value, or a
 * negative errno. Freestanding; nothing here touches errno, TLS or locks. */
#ifndef LC_NODE_SYSCALL_H
#define LC_NODE_SYSCALL_H

#include <stddef.h>
#include <stdint.h>
#include <asm/unistd.h>

static inline long lc_sys6(long nr, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = nr;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
#else
#error "client: add this machine's system call instruction"
#endif
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
