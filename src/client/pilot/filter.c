/* SPDX-License-Identifier: MIT */
/* filter.c - no system calls of ours in a program that sets a filter of them (seccomp)
 *
 * As client/preload/seccomp.c: nothing is recorded from then on, and what is started runs as
 * without us. */
#include <linux/prctl.h>

#include "client/pilot/note.h"
#include "client/pilot/watched.h"
#include "client/preload/readable.h"
#include "node/syscall.h"
#include "node/watch_filter.h"

extern char LC_FILTER_SYMBOL;
__attribute__((visibility("default"))) char LC_FILTER_SYMBOL;

bool lc_watched_is_filtered(void)
{
    return __atomic_load_n(&LC_FILTER_SYMBOL, __ATOMIC_ACQUIRE);
}

bool lc_readable_may_ask(void)
{
    return !lc_watched_is_filtered();
}

static void filter_is_set(void)
{
    __atomic_store_n(&LC_FILTER_SYMBOL, 1, __ATOMIC_RELEASE);
    lc_pilot_log_end();
    lc_watched_end();
}

EXPORT(int, prctl, int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    int result = NEXT(int, prctl, (int, ...))(option, a, b, c, d);

    if (option == PR_SET_SECCOMP && result == 0)
        filter_is_set();
    return result;
}

EXPORT(long, syscall, long number, long a, long b, long c, long d, long e, long f)
{
    long result = NEXT(long, syscall, (long, ...))(number, a, b, c, d, e, f);

    if (result >= 0 && (number == __NR_seccomp || (number == __NR_prctl && a == PR_SET_SECCOMP)))
        filter_is_set();
    return result;
}
