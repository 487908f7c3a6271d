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
#include <sys/wait.h>
#include <unistd.h>

#include "trace/signals.h"

struct answer {
    int status;
    bool goes_on;
};

/* A signal handler uses it, too. */
static struct {
    int answer_fd;         /* in the keeper */
    volatile pid_t keeper; /* in the front process */
    pid_t group;           /* of the front process */
} self = {.answer_fd = -1};

/* Pass a signal on to the keeper. Signals from the terminal have reached the program, too; the
 * keeper needs them only after the program has ended. A signal sent to this process alone is for
 * the program. */
static void signal_pass_on(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    bool by_terminal = info->si_code > 0;

    (void)context;
    if (self.keeper > 0)
        sigqueue(self.keeper, sig, (union sigval){.sival_int = by_terminal});
    errno = saved;
}

pid_t lc_guard_group(void)
{
    return self.group;
}

static void answer_send(int status, bool goes_on)
{
    struct answer answer = {status, goes_on};

    fflush(NULL);
    if (write(self.answer_fd, &answer, sizeof(answer)) < 0)
        return; /* the front process has ended: nobody reads the answer */
    close(self.answer_fd);
    self.answer_fd = -1;
}

/* Wait for the answer or for the keeper's end. */
static bool answer_wait(int fd, struct answer *answer)
{
    ssize_t n;

    do
        n = read(fd, answer, sizeof(*answer));
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof(*answer);
}

static void wait_for_keeper(void)
{
    while (waitpid(self.keeper, NULL, 0) < 0 && errno == EINTR)
        ;
}

static _Noreturn void run_keeper(int fd, const sigset_t *mask,
                                 void (*work)(void *arg, lc_guard_done done), void *arg)
{
    self.answer_fd = fd;
    setpgid(0, 0);
    lc_signals_begin(mask); /* all signals are blocked until here */
    work(arg, answer_send);
    exit(LC_EXIT_OK);
}

int lc_guard_run(void (*work)(void *arg, lc_guard_done done), void *arg, struct lc_error *err)
{
    struct sigaction pass = {.sa_sigaction = signal_pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct answer answer;
    sigset_t all, before;
    int fd[2];

    if (pipe2(fd, O_CLOEXEC) < 0)
        return lc_error_errno(err, "cannot start");
    fflush(NULL); /* so that buffered output is not written by both processes */
    self.group = getpgrp();
    /* Block signals until the keeper exists and they can be passed on. */
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    self.keeper = fork();
    if (self.keeper == 0) {
        close(fd[0]);
        run_keeper(fd[1], &before, work, arg);
    }
    close(fd[1]);
    for (const int *sig = lc_signals_passed_on(); self.keeper > 0 && *sig; sig++)
        sigaction(*sig, &pass, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (self.keeper < 0)
        return lc_error_errno(err, "cannot start");
    bool has_answer = answer_wait(fd[0], &answer);
    if (!has_answer || !answer.goes_on)
        wait_for_keeper();
    return has_answer ? answer.status : lc_error_set(err, "the tracing process was killed");
}
