/* SPDX-License-Identifier: MIT */
/* memory_guard.h - if bench is killed, what it staged still goes out of the nodes' memory
 *
 * A process beside bench waits on a socket. If it closes without a word, bench is dead: the guard
 * runs the command it was told last, until nobody uses the image any more, and removes the
 * directory. */
#ifndef LC_BENCH_MEMORY_GUARD_H
#define LC_BENCH_MEMORY_GUARD_H

#include <sys/types.h>

#include "stage/session_dir.h"
#include "util/run.h"

struct lc_memory_guard {
    pid_t pid; /* 0: there is none; all of these do nothing then */
    int fd;
};

void lc_memory_guard_begin(struct lc_memory_guard *guard, const struct lc_session_dir *dir);

/* What takes the image out of memory from now on; NULL: nothing is staged. */
void lc_memory_guard_tell(const struct lc_memory_guard *guard, const struct lc_argv *command);

/* All is removed: it ends. */
void lc_memory_guard_end(struct lc_memory_guard *guard);

#endif
