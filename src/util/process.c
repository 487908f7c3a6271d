/* SPDX-License-Identifier: MIT */
/* process.c - how a process ends, and what it holds open */
#include "util/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void lc_process_leave_streams(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; null >= 0 && fd <= 2; fd++)
        dup2(null, fd);
}

void lc_process_end_as(int status)
{
    fflush(NULL);
    if (WIFSIGNALED(status)) {
        int sig = WTERMSIG(status);
        sigset_t one;
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* the program has dumped its own core */
        signal(sig, SIG_DFL);
        sigemptyset(&one);
        sigaddset(&one, sig);
        sigprocmask(SIG_UNBLOCK, &one, NULL);
        raise(sig);
        _exit(128 + sig);
    }
    exit(WEXITSTATUS(status));
}
