/* SPDX-License-Identifier: MIT */
/* signals.h - signals while a program is followed
 *
 * The tracer is in a process group of its own (guard.h), so that what a terminal sends reaches the
 * program alone. What somebody sends to us is passed on. Once the program has ended, SIGINT,
 * SIGTERM or SIGHUP means: finish now.
 */
#ifndef LC_TRACE_SIGNALS_H
#define LC_TRACE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* The signals that are passed on to the program; ends with 0. */
const int *lc_signals_passed_on(void);

/* Take over signals and start a clock that ticks 20 times a second. What arrives before
 * lc_signals_forward_to() is kept for the receiver it names. 'mask' is the one to return to (NULL:
 * the present one); a second call does nothing. */
void lc_signals_begin(const sigset_t *mask);
void lc_signals_end(void);

/* In the child: everything as it was before lc_signals_begin. */
void lc_signals_restore_in_child(void);

/* Who gets what is sent to us; 0: nobody any more. */
void lc_signals_forward_to(pid_t pid);

bool lc_signals_asked_to_finish(void);

/* Has a signal or a tick come since the last call? A wait is also interrupted by it, but only if
 * there is nothing to be had at once. */
bool lc_signals_woken(void);

#endif
