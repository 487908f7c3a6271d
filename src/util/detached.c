/* SPDX-License-Identifier: MIT */
/* detached.c - a process that runs on beside the one that started it, unseen by it */
#include "util/detached.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/process.h"
#include "util/syscalls.h"

bool lc_detached_would_be_child(void)
{
    int is = 0;

    return prctl(PR_GET_CHILD_SUBREAPER, &is) == 0 && is;
}

pid_t lc_detached_fork(void)
{
    return (pid_t)syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
}

void lc_detached_leave(const char *name, int keep)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_NAME, name);
    lc_process_leave_streams();
    if (keep > 3)
        syscall(SYS_close_range, 3u, (unsigned)keep - 1, 0);
    syscall(SYS_close_range, keep >= 3 ? (unsigned)keep + 1 : 3u, ~0u, 0);
    if (chdir("/") < 0)
        return; /* then it keeps the directory in use */
}

int lc_detached_start_beside(const char *name, int keep)
{
    if (lc_detached_would_be_child())
        return -1;
    pid_t pid = (pid_t)syscall(SYS_clone, (long)CLONE_PARENT, 0L, 0L, 0L, 0L);
    if (pid != 0)
        return pid > 0 ? 1 : -1;
    setsid();
    lc_detached_leave(name, keep);
    return 0;
}

int lc_detached_start(const char *name, int keep)
{
    if (lc_detached_would_be_child())
        return -1;
    pid_t child = lc_detached_fork();
    if (child == 0) {
        setsid();
        pid_t second = lc_detached_fork();
        if (second != 0)
            _exit(second < 0);
        lc_detached_leave(name, keep);
        return 0;
    }
    int status = -1;
    while (child > 0 && waitpid(child, &status, __WALL) < 0 && errno == EINTR)
        ;
    return child > 0 && status == 0 ? 1 : -1;
}
