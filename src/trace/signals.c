/* SPDX-License-Identifier: MIT */
/* signals.c - signal handling while a program is traced */
#include "trace/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, 0};
/* Ignored, because traced processes depend on us: neither a closed standard output nor a terminal's
 * job control may stop the tracer. SIGCHLD gets its default action, which may have been changed by
 * our parent. */
static const int ignored[] = {SIGPIPE, SIGTSTP, SIGTTOU, SIGTTIN};
enum {
    PASSED_ON = sizeof(passed_on) / sizeof(*passed_on) - 1,
    IGNORED = sizeof(ignored) / sizeof(*ignored),
    TICK_US = 50000,
    NOBODY_YET = -1,
};

static struct sigaction before_passed[PASSED_ON], before_ignored[IGNORED], before_alarm,
    before_child;
static sigset_t before_mask;
static bool has_begun;
static volatile pid_t receiver;
static volatile sig_atomic_t asked_to_finish, is_woken, early[PASSED_ON];

/* The front process passes signals on by sigqueue(), with value 1 for signals that the terminal
 * sent to the program as well. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    bool has_it = info->si_code == SI_QUEUE && info->si_value.sival_int == 1;

    (void)context;
    is_woken = 1;
    if (receiver > 0 && !has_it)
        kill(receiver, sig);
    else if (receiver == 0 && (sig == SIGINT || sig == SIGTERM || sig == SIGHUP))
        asked_to_finish = 1;
    for (int i = 0; receiver == NOBODY_YET && !has_it && i < PASSED_ON; i++)
        if (passed_on[i] == sig)
            early[i] = 1;
    errno = saved;
}

static void on_tick(int sig)
{
    (void)sig;
    is_woken = 1;
}

const int *lc_signals_passed_on(void)
{
    return passed_on;
}

void lc_signals_begin(const sigset_t *mask)
{
    struct sigaction pass = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    struct sigaction tick = {.sa_handler = on_tick};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, usual = {.sa_handler = SIG_DFL};
    struct itimerval clock = {{.tv_usec = TICK_US}, {.tv_usec = TICK_US}};
    sigset_t wanted;

    if (has_begun)
        return;
    has_begun = true;
    receiver = NOBODY_YET;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGALRM);
    for (int i = 0; i < PASSED_ON; i++) {
        sigaction(passed_on[i], &pass, &before_passed[i]);
        sigaddset(&wanted, passed_on[i]);
    }
    for (int i = 0; i < IGNORED; i++)
        sigaction(ignored[i], &ignore, &before_ignored[i]);
    sigaction(SIGALRM, &tick, &before_alarm);
    sigaction(SIGCHLD, &usual, &before_child);
    sigprocmask(SIG_SETMASK, mask, &before_mask);
    if (mask)
        before_mask = *mask;
    sigprocmask(SIG_UNBLOCK, &wanted, NULL);
    setitimer(ITIMER_REAL, &clock, NULL);
}

void lc_signals_restore_in_child(void)
{
    for (int i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &before_passed[i], NULL);
    for (int i = 0; i < IGNORED; i++)
        sigaction(ignored[i], &before_ignored[i], NULL);
    sigaction(SIGALRM, &before_alarm, NULL);
    sigaction(SIGCHLD, &before_child, NULL);
    sigprocmask(SIG_SETMASK, &before_mask, NULL);
}

void lc_signals_end(void)
{
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    lc_signals_restore_in_child();
    has_begun = false;
}

void lc_signals_forward_to(pid_t pid)
{
    receiver = pid;
    for (int i = 0; pid > 0 && i < PASSED_ON; i++)
        if (early[i]) {
            early[i] = 0;
            kill(pid, passed_on[i]);
        }
}

bool lc_signals_asked_to_finish(void)
{
    return asked_to_finish;
}

bool lc_signals_woken(void)
{
    bool was = is_woken;

    is_woken = 0;
    return was;
}
