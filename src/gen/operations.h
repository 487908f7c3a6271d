/* SPDX-License-Identifier: MIT */
/* operations.h - the file system operations of a task, computed from the configuration */
#ifndef LC_GEN_OPERATIONS_H
#define LC_GEN_OPERATIONS_H

#include <jansson.h>

#include "gen/gen.h"

/* Calls of one task on the workload's own directory, on Linux with glibc and CPython 3: opens
 * (open, openat), those of them that fail, and stats (stat, lstat, fstat, statx and kin). Left out
 * is what does not grow with the number of libraries: the interpreter's, MPI's and libc's own
 * files, the driver and the manifest, and the loader's first look into each search directory, for
 * system libraries and for hardware-capability subdirectories (on x86-64 about 40 calls per
 * directory). */
struct lc_operations {
    uint64_t opens, failed_opens, stats;
};

struct lc_operations lc_operations(const struct lc_gen_config *config, enum lc_mode mode);

/* {"opens", "failed_opens", "stats"} */
json_t *lc_operations_json(const struct lc_gen_config *config, enum lc_mode mode);

#endif
