/* SPDX-License-Identifier: MIT */
/* seccomp.c - no system calls of ours in a program that sets a seccomp filter
 *
 * A filter may kill the process for a call that the program itself never makes. Once a filter
 * is set, nothing is served in this process, and files that it changes are invalidated without
 * a system call (invalidate.c). syscall(2) is wrapped here because it can set a filter; statx is
 * the only call by number that is served.
 */
#include <linux/prctl.h>

#include "client/preload/path_query.h"
#include "client/preload/next.h"
#include "client/preload/wrappers.h"
#include "node/syscall.h"

EXPORT(int, prctl, int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    int result = NEXT(int, prctl, (int, ...))(option, a, b, c, d);

    if (option == PR_SET_SECCOMP && result == 0)
        lc_client_stop_syscalls();
    return result;
}

static bool sets_a_filter(long number, long a)
{
    return number == __NR_seccomp || (number == __NR_prctl && a == PR_SET_SECCOMP);
}

/* Node.js calls statx by its number for every module, because the C libraries of that time had no
 * statx. */
EXPORT(long, syscall, long number, long a, long b, long c, long d, long e, long f)
{
    if (number == __NR_statx)
        return lc_statx((int)a, (const char *)b, (int)c, (unsigned)d, (struct statx *)e);
    long result = NEXT(long, syscall, (long, ...))(number, a, b, c, d, e, f);

    if (sets_a_filter(number, a) && result >= 0)
        lc_client_stop_syscalls();
    return result;
}
