/* SPDX-License-Identifier: MIT */
/* signals.h - signals while a program is followed
 *
 * What the terminal sends reaches the program by itself, since it is in our process group: SIGINT
 * and SIGQUIT from there are left to it. What somebody sends to us alone (kill) is passed on. Once
 * the program has ended, SIGINT or SIGTERM means: finish now.
 */
#ifndef LC_TRACE_SIGNALS_H
#define LC_TRACE_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

/* Take over signals; pid is told later, by lc_signals_forward_to. */
void lc_signals_begin(void);
void lc_signals_end(void);

/* In the child: everything as it was before lc_signals_begin. */
void lc_signals_restore_in_child(void);

/* Who gets what is sent to us; 0: nobody any more. */
void lc_signals_forward_to(pid_t pid);

bool lc_signals_asked_to_finish(void);

/* After so many seconds, and again every 50 ms, interrupt what we are waiting in. */
void lc_signals_wake_after(double seconds);

#endif
