/* SPDX-License-Identifier: MIT */
/* ending.h - note a signal that asks us to end, so that what was made is removed first */
#ifndef LC_UTIL_ENDING_H
#define LC_UTIL_ENDING_H

#include <signal.h>
#include <stdbool.h>

enum { LC_ENDINGS = 3 };

/* From the first to the last call SIGINT, SIGTERM and SIGHUP are only noted, each once: a second
 * one ends us at once. Then the one that came is sent again, to whoever handled it before. */
void lc_ending_catch(struct sigaction before[LC_ENDINGS]);
bool lc_ending_came(void);
void lc_ending_release(const struct sigaction before[LC_ENDINGS]);

#endif
