/* SPDX-License-Identifier: MIT */
/* line_process.c - the launch line as a child whose streams and signals are its own
 *
 * What a terminal sends reaches the child by itself, and sending it twice means something else to
 * launchers ("abort now"); what somebody sends to this process alone is passed on. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/job_run.h"

static volatile pid_t child;
static volatile sig_atomic_t asked_by;

static const int passed[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP,   SIGUSR1,
                             SIGUSR2, SIGALRM, SIGCONT, SIGWINCH, SIGXCPU};
enum { PASSED = sizeof(passed) / sizeof(*passed) };

/* What we cannot do with, as the line must find it. */
static struct {
    struct sigaction child, pipe;
    bool is_taken;
} own;

void lc_run_take_signals(void)
{
    sigaction(SIGCHLD, NULL, &own.child);
    sigaction(SIGPIPE, NULL, &own.pipe);
    own.is_taken = true;
    signal(SIGCHLD, SIG_DFL); /* who ignores it never learns how a child ended */
    signal(SIGPIPE, SIG_IGN); /* a reader that left is no reason to end otherwise than the line */
}

void lc_run_give_signals_back(void)
{
    if (!own.is_taken)
        return;
    sigaction(SIGCHLD, &own.child, NULL);
    sigaction(SIGPIPE, &own.pipe, NULL);
}

static void pass_on(int number, siginfo_t *info, void *context)
{
    int saved = errno;

    (void)context;
    if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT)
        asked_by = number;
    if (child > 0 && info->si_code != SI_KERNEL)
        kill(child, number);
    errno = saved;
}

_Noreturn static void become(char *const *argv, char *const *environment, const sigset_t *mask,
                             pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* who kills us means the line */
    if (getppid() != parent)
        _exit(128 + SIGTERM);
    for (; environment && *environment; environment++)
        putenv(*environment);
    lc_run_give_signals_back();
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(argv[0], argv);
    int code = lc_exit_of_start(errno);
    struct lc_error err;
    lc_error_errno(&err, "cannot execute '%s'", argv[0]);
    lc_cli_fail(&(struct lc_cli){.name = "loadcast run"}, 0, &err);
    _exit(code);
}

static void pass_signals(struct sigaction old[PASSED])
{
    struct sigaction act = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};

    for (int i = 0; i < PASSED; i++) {
        sigaction(passed[i], NULL, &old[i]);
        if (old[i].sa_handler != SIG_IGN)
            sigaction(passed[i], &act, NULL);
    }
}

static int await(const char *name, struct lc_error *err)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return lc_error_errno(err, "cannot wait for '%s'", name);
    return status;
}

/* Whoever reads or writes at the other end is to see what the line does with them. Standard error
 * is where we say what went wrong. */
static void let_go_of_streams(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; null >= 0 && fd < 2; fd++)
        dup2(null, fd);
    if (null >= 0)
        close(null);
    lc_run_close_others();
}

int lc_run_child(char *const *argv, char *const *environment, bool is_last, int *asked,
                 struct lc_error *err)
{
    struct sigaction old[PASSED];
    sigset_t all, mask;
    pid_t parent = getpid();

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask); /* none may come between the two */
    asked_by = 0;
    child = fork();
    if (child == 0)
        become(argv, environment, &mask, parent);
    pass_signals(old);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (child > 0 && is_last)
        let_go_of_streams();
    int status = child < 0 ? lc_error_errno(err, "cannot fork") : await(argv[0], err);
    child = 0;
    for (int i = 0; i < PASSED; i++)
        sigaction(passed[i], &old[i], NULL);
    *asked = asked_by;
    return status;
}
