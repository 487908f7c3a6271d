/* SPDX-License-Identifier: MIT */
/* seccomp.c - a program that limits its system calls by a filter makes no call of ours any more
 *
 * A filter may kill for a call that the program itself never makes. From then on nothing is
 * answered in this process, and what it changes is noted without a system call (note.c). Here also
 * because of syscall(2), which sets filters: the one call by number that is answered. */
#include <linux/prctl.h>

#include "client/preload/ask.h"
#include "client/preload/next.h"
#include "client/preload/statx.h"
#include "node/syscall.h"

EXPORT(int, prctl, int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    int result = NEXT(int, prctl, (int, ...))(option, a, b, c, d);

    if (option == PR_SET_SECCOMP && result == 0)
        lc_client_hush();
    return result;
}

static bool sets_a_filter(long number, long a)
{
    return number == __NR_seccomp || (number == __NR_prctl && a == PR_SET_SECCOMP);
}

/* Node.js asks for every module by statx, which C libraries of its time lacked. */
EXPORT(long, syscall, long number, long a, long b, long c, long d, long e, long f)
{
    if (number == __NR_statx)
        return lc_statx((int)a, (const char *)b, (int)c, (unsigned)d, (struct statx *)e);
    long result = NEXT(long, syscall, (long, ...))(number, a, b, c, d, e, f);

    if (sets_a_filter(number, a) && result >= 0)
        lc_client_hush();
    return result;
}
