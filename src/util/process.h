/* SPDX-License-Identifier: MIT */
/* process.h - how a process ends, and what it holds open */
#ifndef LC_UTIL_PROCESS_H
#define LC_UTIL_PROCESS_H

/* End this process as another one ended whose wait() status this is: with the same exit code, or by
 * the same signal. Flushes all streams first. */
_Noreturn void lc_process_end_as(int status);

/* Replace the three standard streams by /dev/null, for a process that runs on in the background: it
 * must not keep anybody's terminal or pipe open. */
void lc_process_leave_streams(void);

#endif
