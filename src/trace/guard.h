/* SPDX-License-Identifier: MIT */
/* guard.h - keep the tracer alive when the command that started it is killed
 *
 * A program under the filter needs its tracer until it ends. So the process that users see, and may
 * kill, is only a front: it starts a second process, the keeper, which does all the work, and waits
 * for it. If the front is killed, even with SIGKILL, the keeper and the program continue. The
 * keeper is in a process group of its own, so that signals to the front's group reach the program
 * only once. */
#ifndef LC_TRACE_GUARD_H
#define LC_TRACE_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

/* Run work(arg) in the keeper. 'work' calls 'done' with the wait() status that the front shall end
 * with, and whether the keeper continues to serve other processes; if not, the front waits for the
 * keeper's end. In the front lc_guard_run returns that status, or -1 with err filled if the keeper
 * died before; in the keeper it does not return. */
typedef void (*lc_guard_done)(int status, bool goes_on);
int lc_guard_run(void (*work)(void *arg, lc_guard_done done), void *arg, struct lc_error *err);

/* In the keeper: the front's process group, which the program is in. */
pid_t lc_guard_group(void);

#endif
