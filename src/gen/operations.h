/* SPDX-License-Identifier: MIT */
/* operations.h - what each task will ask of the file system, computed from the structure */
#ifndef LC_GEN_OPERATIONS_H
#define LC_GEN_OPERATIONS_H

#include <jansson.h>

#include "gen/gen.h"

/* Calls of one task on the workload's own directory, on Linux with glibc and CPython 3: opens
 * (open, openat), those of them that fail, and stats (stat, lstat, fstat, statx and kin). Left out
 * are the interpreter's, MPI's and libc's own files, and the loader's first probe of each search
 * directory for hardware-capability subdirectories (a few calls per directory and process). */
struct lc_operations {
    uint64_t opens, failed_opens, stats;
};

struct lc_operations lc_operations(const struct lc_gen_config *config, enum lc_mode mode);

/* {"opens", "failed_opens", "stats"} */
json_t *lc_operations_json(const struct lc_gen_config *config, enum lc_mode mode);

#endif
