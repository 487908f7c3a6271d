/* SPDX-License-Identifier: MIT */
/* guard.h - keep the tracer alive when the command that started it is killed
 *
 * A program under the filter needs its tracer to the end. So the command that people see, and may
 * kill, is a front: it starts a keeper, which does all the work, and waits for it. If the front is
 * killed, even with SIGKILL, the keeper and the program go on undisturbed. The keeper is in a
 * process group of its own, so that signals to the front's group reach the program once.
 */
#ifndef LC_TRACE_GUARD_H
#define LC_TRACE_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

/* Run work(arg) in the keeper. It calls 'done' with what the front is to end as, a wait() status,
 * and whether it goes on serving others; if not, the front waits for its end. In the front
 * lc_guard_run returns that status, or -1 with err filled if the keeper died before; in the keeper
 * it does not return. */
typedef void (*lc_guard_done)(int status, bool goes_on);
int lc_guard_run(void (*work)(void *arg, lc_guard_done done), void *arg, struct lc_error *err);

/* In the keeper: the front's process group, which is the program's. */
pid_t lc_guard_group(void);

#endif
