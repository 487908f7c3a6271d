/* SPDX-License-Identifier: MIT */
/* auxv.h - read the auxiliary vector of this process. Freestanding. */
#ifndef LC_NODE_AUXV_H
#define LC_NODE_AUXV_H

#include <elf.h>
#include <linux/fcntl.h>

#include "node/syscall.h"

enum { LC_AUXV = 64 }; /* the kernel passes about twenty entries */

/* Read the entries before AT_NULL; returns their number, 0 if they cannot be read. */
static inline size_t lc_auxv_read(Elf64_auxv_t all[LC_AUXV])
{
    long fd = lc_sys_open("/proc/self/auxv", O_RDONLY | O_CLOEXEC);
    long n = fd < 0 ? 0 : lc_sys_read((int)fd, all, LC_AUXV * sizeof(all[0]));
    size_t count = 0;

    if (fd >= 0)
        lc_sys_close((int)fd);
    while (n > 0 && count < (size_t)n / sizeof(all[0]) && all[count].a_type != AT_NULL)
        count++;
    return count;
}

#endif
