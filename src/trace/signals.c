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

/* A process has one set of handlers, and they get no argument. */
static struct {
    bool has_begun;
    struct sigaction before_passed[PASSED_ON], before_ignored[IGNORED], before_alarm, before_child;
    sigset_t before_mask;
    volatile pid_t receiver;
    volatile sig_atomic_t asked_to_finish, is_woken;
    volatile sig_atomic_t early[PASSED_ON]; /* came before there was a receiver */
} self;

/* The front process passes signals on by sigqueue(), with value 1 for signals that the terminal
 * sent to the program as well. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    bool has_it = info->si_code == SI_QUEUE && info->si_value.sival_int == 1;

    (void)context;
    self.is_woken = 1;
    if (self.receiver > 0 && !has_it)
        kill(self.receiver, sig);
    else if (self.receiver == 0 && (sig == SIGINT || sig == SIGTERM || sig == SIGHUP))
        self.asked_to_finish = 1;
    for (int i = 0; self.receiver == NOBODY_YET && !has_it && i < PASSED_ON; i++)
        if (passed_on[i] == sig)
            self.early[i] = 1;
    errno = saved;
}

static void on_tick(int sig)
{
    (void)sig;
    self.is_woken = 1;
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

    if (self.has_begun)
        return;
    self.has_begun = true;
    self.receiver = NOBODY_YET;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGALRM);
    for (int i = 0; i < PASSED_ON; i++) {
        sigaction(passed_on[i], &pass, &self.before_passed[i]);
        sigaddset(&wanted, passed_on[i]);
    }
    for (int i = 0; i < IGNORED; i++)
        sigaction(ignored[i], &ignore, &self.before_ignored[i]);
    sigaction(SIGALRM, &tick, &self.before_alarm);
    sigaction(SIGCHLD, &usual, &self.before_child);
    sigprocmask(SIG_SETMASK, mask, &self.before_mask);
    if (mask)
        self.before_mask = *mask;
    sigprocmask(SIG_UNBLOCK, &wanted, NULL);
    setitimer(ITIMER_REAL, &clock, NULL);
}

void lc_signals_restore_in_child(void)
{
    for (int i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &self.before_passed[i], NULL);
    for (int i = 0; i < IGNORED; i++)
        sigaction(ignored[i], &self.before_ignored[i], NULL);
    sigaction(SIGALRM, &self.before_alarm, NULL);
    sigaction(SIGCHLD, &self.before_child, NULL);
    sigprocmask(SIG_SETMASK, &self.before_mask, NULL);
}

void lc_signals_end(void)
{
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    lc_signals_restore_in_child();
    self.has_begun = false;
}

void lc_signals_forward_to(pid_t pid)
{
    self.receiver = pid;
    for (int i = 0; pid > 0 && i < PASSED_ON; i++)
        if (self.early[i]) {
            self.early[i] = 0;
            kill(pid, passed_on[i]);
        }
}

bool lc_signals_asked_to_finish(void)
{
    return self.asked_to_finish;
}

bool lc_signals_woken(void)
{
    bool was = self.is_woken;

    self.is_woken = 0;
    return was;
}
