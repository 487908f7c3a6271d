/* SPDX-License-Identifier: MIT */
/* guard.h - keep the tracer alive when the command that started it is killed
 *
 * A program under the filter needs its tracer to the end. So the command that people see, and may
 * kill, is a front: it starts a keeper, which does all the work, and waits for it. If the front is
 * killed, even with SIGKILL, the keeper and the program go on undisturbed.
 */
#ifndef LC_TRACE_GUARD_H
#define LC_TRACE_GUARD_H

#include "util/error.h"

/* Run work(arg) in the keeper. It calls 'done' with what the front is to end as: a wait() status.
 * Whatever the keeper does after that, nobody waits for. In the front lc_guard_run returns that
 * status, or -1 with err filled if the keeper died before; in the keeper it does not return. */
int lc_guard_run(void (*work)(void *arg, void (*done)(int status)), void *arg,
                 struct lc_error *err);

/* End this process as the program ended: with its status, or by its signal. */
_Noreturn void lc_guard_end_as(int status);

#endif
