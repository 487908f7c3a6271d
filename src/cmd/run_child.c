/* SPDX-License-Identifier: MIT */
/* run_child.c - the launch line as a child whose streams and signals are its own
 *
 * What a terminal sends reaches the child by itself, and sending it twice means something else to
 * launchers ("abort now"); what somebody sends to this process alone is passed on. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/run.h"

static volatile pid_t child;

static const int passed[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP,  SIGUSR1,
                             SIGUSR2, SIGALRM, SIGCONT, SIGWINCH};
enum { PASSED = sizeof(passed) / sizeof(*passed) };

static void pass_on(int number, siginfo_t *info, void *context)
{
    int saved = errno;

    (void)context;
    if (child > 0 && info->si_code != SI_KERNEL)
        kill(child, number);
    errno = saved;
}

_Noreturn static void become(char *const *argv, char *const *environment, const sigset_t *mask)
{
    for (; environment && *environment; environment++)
        putenv(*environment);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(argv[0], argv);
    int code = lc_exit_of_start(errno);
    struct lc_error err;
    lc_error_errno(&err, "cannot execute '%s'", argv[0]);
    lc_cli_fail(&(struct lc_cli){.name = "loadcast run"}, 0, &err);
    _exit(code);
}

int lc_run_child(char *const *argv, char *const *environment, struct lc_error *err)
{
    struct sigaction act = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigset_t all, mask;
    int status;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask); /* none may come between the two */
    child = fork();
    if (child == 0)
        become(argv, environment, &mask);
    for (int i = 0; i < PASSED; i++) {
        struct sigaction old;
        sigaction(passed[i], NULL, &old);
        if (old.sa_handler != SIG_IGN)
            sigaction(passed[i], &act, NULL);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (child < 0)
        return lc_error_errno(err, "cannot fork");
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return lc_error_errno(err, "cannot wait for '%s'", argv[0]);
    child = 0;
    return status;
}
