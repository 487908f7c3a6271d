/* SPDX-License-Identifier: MIT */
/* held_time.h - how long the end of a line may be held up for the sake of the next one */
#ifndef LC_LAUNCH_HELD_TIME_H
#define LC_LAUNCH_HELD_TIME_H

#include <stdbool.h>

/* Seconds, for a line that took 'line_s': a tenth of that, and never more than one. */
double lc_held_time_s(double line_s);

/* The same for a line that was watched. What that has cost counts, too. 'ranks_wait': its ranks may
 * have been held up already, for a tenth of their time (client/pilot/hold_end.c). */
double lc_held_time_of_watched_s(double line_s, bool ranks_wait);

#endif
