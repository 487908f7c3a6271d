/* SPDX-License-Identifier: MIT */
/* clock.h - time in nanoseconds */
#ifndef LC_UTIL_CLOCK_H
#define LC_UTIL_CLOCK_H

#include <stddef.h>
#include <stdint.h>

uint64_t lc_clock_ns(void);      /* monotonic: for intervals */
uint64_t lc_clock_wall_ns(void); /* since 1970: for comparing with 'date' and other hosts */

/* The wall-clock time as "2026-01-31T12:34:56Z". 'out' holds at least 24 bytes. */
void lc_clock_iso(char *out, size_t size, uint64_t wall_ns);

#endif
