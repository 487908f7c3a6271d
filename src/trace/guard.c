/* SPDX-License-Identifier: MIT */
/* guard.c - keep the tracer alive when the command that started it is killed */
#include "trace/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int answer_fd = -1;
static volatile pid_t keeper;

static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

/* What the terminal sends has reached the keeper too; what somebody sent to us alone has not. */
static void pass_on(int sig, siginfo_t *info, void *context)
{
    int saved = errno;

    (void)context;
    if (info->si_code <= 0 && keeper > 0)
        kill(keeper, sig);
    errno = saved;
}

static void send_answer(int status)
{
    fflush(NULL);
    if (write(answer_fd, &status, sizeof(status)) < 0)
        return; /* the front is gone: nobody to tell */
    close(answer_fd);
    answer_fd = -1;
}

/* The answer, or the keeper's death, whichever comes first. */
static bool wait_for_answer(int fd, int *status)
{
    ssize_t n;

    do
        n = read(fd, status, sizeof(*status));
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof(*status);
}

int lc_guard_run(void (*work)(void *arg, void (*done)(int status)), void *arg, struct lc_error *err)
{
    struct sigaction pass = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigset_t all, before;
    int fd[2], status;

    if (pipe2(fd, O_CLOEXEC) < 0)
        return lc_error_errno(err, "cannot start");
    fflush(NULL); /* what is buffered now must not be written by both */
    /* No signal may fall between the keeper's birth and our readiness to pass it on. */
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    keeper = fork();
    if (keeper == 0) {
        close(fd[0]);
        answer_fd = fd[1];
        sigprocmask(SIG_SETMASK, &before, NULL);
        work(arg, send_answer);
        exit(LC_EXIT_OK);
    }
    close(fd[1]);
    for (size_t i = 0; keeper > 0 && i < sizeof(passed_on) / sizeof(*passed_on); i++)
        sigaction(passed_on[i], &pass, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (keeper < 0)
        return lc_error_errno(err, "cannot start");
    if (wait_for_answer(fd[0], &status))
        return status;
    return lc_error_set(err, "the tracing process was killed, and the program with it");
}

void lc_guard_end_as(int status)
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
    _exit(WEXITSTATUS(status));
}
