/* SPDX-License-Identifier: MIT */
/* skew.c - a host whose clocks are wrong: an LD_PRELOAD library that adds SKEW_S seconds to both
 * clocks and calls the host SKEW_HOST */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *out)
{
    const char *skew = getenv("SKEW_S");
    int rc = (int)syscall(SYS_clock_gettime, clock, out);

    if (rc == 0 && skew && (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC))
        out->tv_sec += strtol(skew, NULL, 10);
    return rc;
}

int gethostname(char *name, size_t len)
{
    const char *host = getenv("SKEW_HOST");

    strncpy(name, host ? host : "here", len);
    return 0;
}
