/* SPDX-License-Identifier: MIT */
/* pidfd.c - learn when another process ends */
#include "stormfs/pidfd.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "util/syscalls.h"

int lc_pidfd_open(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

bool lc_process_exists(pid_t pid)
{
    return kill(pid, 0) == 0 || errno == EPERM;
}
