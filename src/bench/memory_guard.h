/* SPDX-License-Identifier: MIT */
/* memory_guard.h - remove staged images from the nodes' memory if bench is killed
 *
 * The guard is a process that waits on a socket. If the socket closes without a message, bench has
 * been killed: the guard repeats the last clean-up command until it succeeds (it fails while
 * processes use the image), and removes the directory. */
#ifndef LC_BENCH_MEMORY_GUARD_H
#define LC_BENCH_MEMORY_GUARD_H

#include <sys/types.h>

#include "stage/session_dir.h"
#include "util/run.h"

struct lc_memory_guard {
    pid_t pid; /* 0: there is no guard; these functions do nothing then */
    int fd;
};

void lc_memory_guard_begin(struct lc_memory_guard *guard, const struct lc_session_dir *dir);

/* Set the clean-up command; NULL: nothing is staged. */
void lc_memory_guard_set_command(const struct lc_memory_guard *guard,
                                 const struct lc_argv *command);

/* Everything is cleaned up: end the guard. */
void lc_memory_guard_end(struct lc_memory_guard *guard);

#endif
