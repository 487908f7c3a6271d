/* SPDX-License-Identifier: MIT */
/* signals.h - signal handling while a program is traced
 *
 * The tracer is in a process group of its own (guard.h), so that signals from a terminal reach only
 * the program. Signals sent to the tracer are passed on to the program. After the program has
 * ended, SIGINT, SIGTERM or SIGHUP makes the tracer finish. */
#ifndef LC_TRACE_SIGNALS_H
#define LC_TRACE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* The signals that are passed on to the program; ends with 0. */
const int *lc_signals_passed_on(void);

/* Install the handlers and start a timer that ticks 20 times a second. Signals that arrive before
 * lc_signals_forward_to() are kept for the process it names. 'mask' is the signal mask to restore
 * (NULL: the present one); a second call does nothing. */
void lc_signals_begin(const sigset_t *mask);
void lc_signals_end(void);

/* In the child: restore everything to the state before lc_signals_begin. */
void lc_signals_restore_in_child(void);

/* The process that signals are passed on to; 0: none any more. */
void lc_signals_forward_to(pid_t pid);

bool lc_signals_asked_to_finish(void);

/* Has a signal or a tick arrived since the last call? It also interrupts a waiting waitpid(). */
bool lc_signals_woken(void);

#endif
