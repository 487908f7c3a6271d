/* SPDX-License-Identifier: MIT */
/* tight_limits.h - are a process's limits (ulimit) so low that what is ours would be missed?
 * Freestanding. */
#ifndef LC_NODE_TIGHT_LIMITS_H
#define LC_NODE_TIGHT_LIMITS_H

#include <linux/resource.h>
#include <stdbool.h>

#include "node/syscall.h"

/* Inside the user's process our objects take 3 MiB, and as much as the index and the modules of
 * Python in the image have besides: some 30 MiB for large stacks. While it is watched, 20 MiB. */
#define LC_SPACE_LEAST ((uint64_t)512 << 20)
#define LC_SPACE_WHY   "its address space is limited (ulimit -v, -d) to less than 512 MiB"
/* What 'loadcast' itself needs besides. */
#define LC_STACK_LEAST ((uint64_t)1 << 20)
#define LC_FILES_LEAST ((uint64_t)16)

static inline bool lc_limit_is_below(int limit, uint64_t least)
{
    struct rlimit64 now;

    return LC_SYS4(__NR_prlimit64, 0, limit, 0, &now) == 0 && now.rlim_cur < least;
}

/* For a program with our objects in it. */
static inline bool lc_space_is_tight(void)
{
    return lc_limit_is_below(RLIMIT_AS, LC_SPACE_LEAST) ||
           lc_limit_is_below(RLIMIT_DATA, LC_SPACE_LEAST);
}

/* For 'loadcast' itself. */
static inline bool lc_limits_are_tight(void)
{
    return lc_space_is_tight() || lc_limit_is_below(RLIMIT_STACK, LC_STACK_LEAST) ||
           lc_limit_is_below(RLIMIT_NOFILE, LC_FILES_LEAST);
}

#endif
