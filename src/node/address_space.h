/* SPDX-License-Identifier: MIT */
/* address_space.h - is the address space limited (ulimit -v) so much that ours would be missed?
 * Freestanding. */
#ifndef LC_NODE_ADDRESS_SPACE_H
#define LC_NODE_ADDRESS_SPACE_H

#include <linux/resource.h>
#include <stdbool.h>

#include "node/syscall.h"

/* Our objects take 3 MiB, and as much as the index and the modules of Python in the image have
 * besides: some 30 MiB for large stacks. */
#define LC_SPACE_LEAST ((uint64_t)512 << 20)
#define LC_SPACE_WHY   "its address space is limited (ulimit -v) to less than 512 MiB"

static inline bool lc_space_is_tight(void)
{
    struct rlimit64 limit;

    return LC_SYS4(__NR_prlimit64, 0, RLIMIT_AS, 0, &limit) == 0 && limit.rlim_cur < LC_SPACE_LEAST;
}

#endif
