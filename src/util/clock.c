/* SPDX-License-Identifier: MIT */
/* clock.c - time in nanoseconds */
#include "util/clock.h"

#include <time.h>

static uint64_t read_clock(clockid_t id)
{
    struct timespec ts;

    clock_gettime(id, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t lc_clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t lc_clock_wall_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

void lc_clock_iso(char *out, size_t size, uint64_t wall_ns)
{
    time_t seconds = (time_t)(wall_ns / 1000000000u);
    struct tm tm;

    gmtime_r(&seconds, &tm);
    strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &tm);
}
