/* SPDX-License-Identifier: MIT */
/* loadcast-mark.h - tell 'loadcast bench' where a phase of your program ends
 *
 *     #include <loadcast-mark.h>
 *     loadcast_mark("input");   // the phase "input" ends here, the next one begins
 *
 * C and C++. Without bench it is one line on standard output; it needs no library. */
#ifndef LOADCAST_MARK_H
#define LOADCAST_MARK_H

#include <stdio.h>
#include <time.h>

static inline void loadcast_mark(const char *name)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("LOADCAST_MARK=%s %lld\n", name, now.tv_sec * 1000000000LL + now.tv_nsec);
    fflush(stdout);
}

#endif
