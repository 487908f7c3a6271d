/* SPDX-License-Identifier: MIT */
/* watch.c - has a process ended? */
#include "stormfs/watch.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "util/syscalls.h"

int lc_watch_open(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

bool lc_watch_is_there(pid_t pid)
{
    return kill(pid, 0) == 0 || errno == EPERM;
}
