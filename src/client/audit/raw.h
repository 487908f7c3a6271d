/* SPDX-License-Identifier: MIT */
/* raw.h - system calls without libc. Freestanding; results are -errno, errno itself is not touched.
 */
#ifndef LC_CLIENT_AUDIT_RAW_H
#define LC_CLIENT_AUDIT_RAW_H

#include <asm/unistd.h>
#include <fcntl.h>
#include <stddef.h>

static inline long lc_raw4(long number, long a, long b, long c, long d)
{
#if defined(__x86_64__)
    long result;
    register long r10 __asm__("r10") = d;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
#else
#error "add this architecture's system call"
#endif
}

static inline int lc_raw_open(const char *path, int flags, int mode)
{
    return (int)lc_raw4(__NR_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, mode);
}

static inline long lc_raw_read(int fd, void *buffer, size_t len)
{
    return lc_raw4(__NR_read, fd, (long)buffer, (long)len, 0);
}

static inline long lc_raw_write(int fd, const void *buffer, size_t len)
{
    return lc_raw4(__NR_write, fd, (long)buffer, (long)len, 0);
}

static inline void lc_raw_close(int fd)
{
    lc_raw4(__NR_close, fd, 0, 0, 0);
}

static inline long lc_raw_readlink(const char *path, char *out, size_t room)
{
    return lc_raw4(__NR_readlinkat, AT_FDCWD, (long)path, (long)out, (long)room);
}

static inline int lc_raw_can_read(const char *path)
{
    return lc_raw4(__NR_faccessat, AT_FDCWD, (long)path, 4 /* R_OK */, 0) == 0;
}

#endif
