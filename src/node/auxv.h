/* SPDX-License-Identifier: MIT */
/* auxv.h - read the auxiliary vector of this process. Freestanding. */
#ifndef LC_NODE_AUXV_H
#define LC_NODE_AUXV_H

#include <elf.h>
#include <linux/fcntl.h>

#include "node/syscall.h"

enum { LC_AUXV = 64 }; /* the kernel passes about twenty entries */

static inline size_t lc_auxv_count(const Elf64_auxv_t all[LC_AUXV], long bytes)
{
    size_t count = 0;

    while (bytes > 0 && count < (size_t)bytes / sizeof(all[0]) && all[count].a_type != AT_NULL)
        count++;
    return count;
}

/* By prctl(2), from Linux 6.4 on. Under an emulator such as valgrind it is the emulator's own; that
 * one is static and has no ld.so. */
static inline size_t lc_auxv_ask(Elf64_auxv_t all[LC_AUXV])
{
    enum { GET_AUXV = 0x41555856 };
    long bytes = LC_AUXV * sizeof(all[0]);

    for (size_t i = 0; i < LC_AUXV; i++) /* valgrind does not know what the call writes */
        all[i] = (Elf64_auxv_t){.a_type = AT_NULL};
    long n = lc_sys6(__NR_prctl, GET_AUXV, (long)all, bytes, 0, 0, 0);
    size_t count = n <= bytes ? lc_auxv_count(all, n) : 0;

    for (size_t i = 0; i < count; i++)
        if (all[i].a_type == AT_BASE && all[i].a_un.a_val)
            return count;
    return 0;
}

/* Read the entries before AT_NULL; returns their number, 0 if they cannot be read. */
static inline size_t lc_auxv_read(Elf64_auxv_t all[LC_AUXV])
{
    size_t count = lc_auxv_ask(all);
    long fd = count ? -1 : lc_sys_open("/proc/self/auxv", O_RDONLY | O_CLOEXEC), n;

    if (fd < 0)
        return count;
    n = lc_sys_read((int)fd, all, LC_AUXV * sizeof(all[0]));
    lc_sys_close((int)fd);
    return lc_auxv_count(all, n);
}

#endif
