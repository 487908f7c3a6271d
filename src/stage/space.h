/* SPDX-License-Identifier: MIT */
/* space.h - how much may be put into a directory without harm to the job */
#ifndef LC_STAGE_SPACE_H
#define LC_STAGE_SPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/statvfs.h>

/* What limits, for the message. */
struct lc_space {
    uint64_t bytes; /* that may be taken */
    char limit[96]; /* "free", "half of what is left of the cgroup's limit of 2.0 GB", ... */
};

/* How much a file system lets us write. Where files are memory, also what the machine and every
 * memory cgroup above this process have left, of which half is kept for the program itself. */
struct lc_space lc_space_ask(const struct statvfs *vfs, bool is_memory);

/* What is left of this process's memory cgroup and of those above it; UINT64_MAX without a limit.
 * 'root' stands before /proc and /sys: "" except in tests. *limit becomes the cgroup's limit. */
uint64_t lc_space_cgroup(const char *root, uint64_t *limit);

#endif
