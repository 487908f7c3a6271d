/* SPDX-License-Identifier: MIT */
/* signals.c - signals while a program is followed */
#include "trace/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { PASSED_ON = sizeof(passed_on) / sizeof(*passed_on) };

static struct sigaction before[PASSED_ON], before_pipe, before_tstp, before_alarm;
static volatile pid_t receiver;
static volatile sig_atomic_t asked_to_finish;

static void on_signal(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    bool by_hand = info->si_code <= 0; /* kill() and its kin, not the terminal */

    (void)context;
    if (receiver > 0 && by_hand)
        kill(receiver, sig);
    else if (receiver == 0 && (sig == SIGINT || sig == SIGTERM))
        asked_to_finish = 1;
    errno = saved;
}

static void on_alarm(int sig)
{
    (void)sig; /* its only effect is EINTR */
}

void lc_signals_begin(void)
{
    struct sigaction pass = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction wake = {.sa_handler = on_alarm};

    receiver = -1;
    for (int i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &pass, &before[i]);
    /* A closed standard output or a Ctrl-Z must not stop us while others depend on us. */
    sigaction(SIGPIPE, &ignore, &before_pipe);
    sigaction(SIGTSTP, &ignore, &before_tstp);
    sigaction(SIGALRM, &wake, &before_alarm);
}

void lc_signals_restore_in_child(void)
{
    for (int i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &before[i], NULL);
    sigaction(SIGPIPE, &before_pipe, NULL);
    sigaction(SIGTSTP, &before_tstp, NULL);
    sigaction(SIGALRM, &before_alarm, NULL);
}

void lc_signals_end(void)
{
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    lc_signals_restore_in_child();
}

void lc_signals_forward_to(pid_t pid)
{
    receiver = pid;
}

bool lc_signals_asked_to_finish(void)
{
    return asked_to_finish;
}

void lc_signals_wake_after(double seconds)
{
    struct itimerval timer = {
        .it_interval = {.tv_usec = 50000},
        .it_value = {.tv_sec = (time_t)seconds,
                     .tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6) + 1},
    };

    setitimer(ITIMER_REAL, &timer, NULL);
}
