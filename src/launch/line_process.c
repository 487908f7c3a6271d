/* SPDX-License-Identifier: MIT */
/* line_process.c - the launch line as a child process
 *
 * Signals that somebody sends to this process are passed on to the child. Those that the terminal
 * sends (SI_KERNEL) are not: the child gets them anyway, and launchers take a second SIGINT as
 * "abort now". */
#include "launch/job_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/watched.h"

/* A signal handler gets no argument of ours: this is what it needs. */
static struct {
    volatile pid_t child;           /* 0: none */
    volatile sig_atomic_t asked_by; /* the last signal that asks a process to end; 0: none */
} running;

static const int passed[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP,   SIGUSR1,
                             SIGUSR2, SIGALRM, SIGCONT, SIGWINCH, SIGXCPU};
enum { PASSED = sizeof(passed) / sizeof(*passed) };

void lc_line_signals_take(struct lc_line_signals *signals)
{
    sigaction(SIGCHLD, NULL, &signals->child);
    sigaction(SIGPIPE, NULL, &signals->pipe);
    sigaction(SIGXFSZ, NULL, &signals->file_size);
    signal(SIGCHLD, SIG_DFL); /* a process that ignores it never learns how a child ended */
    signal(SIGPIPE, SIG_IGN); /* if nobody reads our messages, still end as the line ends */
    signal(SIGXFSZ,
           SIG_IGN); /* a limit on the size of files must not end us before the line runs */
}

void lc_line_signals_restore(const struct lc_line_signals *signals)
{
    sigaction(SIGCHLD, &signals->child, NULL);
    sigaction(SIGPIPE, &signals->pipe, NULL);
    sigaction(SIGXFSZ, &signals->file_size, NULL);
}

static void signal_pass_on(int number, siginfo_t *info, void *context)
{
    int saved = errno;

    (void)context;
    if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT)
        running.asked_by = number;
    if (running.child > 0 && info->si_code != SI_KERNEL)
        kill(running.child, number);
    errno = saved;
}

/* With what we put into it the line is longer than the kernel takes. */
static void line_execute_plainly(const struct lc_job_run *run, char *const *environment)
{
    char name[64];

    for (; environment && *environment; environment++)
        if (sscanf(*environment, "%63[^=]", name) == 1)
            unsetenv(name);
    lc_job_run_tell(run, LC_MESSAGE_WARNING,
                    run->stages_itself
                        ? "the line is too long for its ranks to stage; running without it"
                        : "the line is too long with what stands before its programs; running "
                          "without it");
    execvp(run->argv[0], run->argv);
}

/* A rank that is watched is this program already: another start of it would take 4 ms. */
static void watched_rank_become(const struct lc_job_run *run, char *const *argv)
{
    char **words = (char **)(uintptr_t)argv;

    if (!run->options->watched_rank || argv == run->argv || !words[1] ||
        strcmp(words[1], LC_WATCHED_RANK) != 0)
        return;
    _exit(run->options->watched_rank(words + 2));
}

_Noreturn static void child_become(const struct lc_job_run *run, char *const *argv,
                                   char *const *environment, const sigset_t *mask, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* whoever kills 'loadcast run' means the line */
    if (getppid() != parent)
        _exit(128 + SIGTERM);
    for (char *const *e = environment; e && *e; e++)
        putenv(*e);
    lc_line_signals_restore(&run->signals);
    sigprocmask(SIG_SETMASK, mask, NULL);
    watched_rank_become(run, argv);
    execvp(argv[0], argv);
    if (errno == E2BIG && argv != run->argv)
        line_execute_plainly(run, environment);
    int code = lc_exit_of_start(errno);
    struct lc_error err;
    lc_error_errno(&err, "cannot execute '%s'", argv[0]);
    lc_job_run_tell(run, LC_MESSAGE_WARNING, "%s", err.text);
    _exit(code);
}

static void signals_pass(struct sigaction old[PASSED])
{
    struct sigaction act = {.sa_sigaction = signal_pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};

    for (int i = 0; i < PASSED; i++) {
        sigaction(passed[i], NULL, &old[i]);
        if (old[i].sa_handler != SIG_IGN)
            sigaction(passed[i], &act, NULL);
    }
}

static int child_wait(const char *name, struct lc_error *err)
{
    int status;

    while (waitpid(running.child, &status, 0) < 0)
        if (errno != EINTR)
            return lc_error_errno(err, "cannot wait for '%s'", name);
    return status;
}

/* Whoever is at the other end of our streams must see when the line closes them. Standard error
 * stays: messages go there. */
static void streams_close(const struct lc_job_run *run)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; null >= 0 && fd < 2; fd++)
        dup2(null, fd);
    if (null >= 0)
        close(null);
    lc_job_run_close_others(run);
}

int lc_line_process_run(struct lc_job_run *run, char *const *argv, char *const *environment,
                        bool is_last, struct lc_error *err)
{
    struct sigaction old[PASSED];
    sigset_t all, mask;
    pid_t parent = getpid();

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask); /* until the handlers are set */
    running.asked_by = 0;
    running.child = fork();
    if (running.child == 0)
        child_become(run, argv, environment, &mask, parent);
    run->has_started = running.child > 0;
    signals_pass(old);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (running.child > 0 && is_last)
        streams_close(run);
    int status = running.child < 0 ? lc_error_errno(err, "cannot fork") : child_wait(argv[0], err);
    running.child = 0;
    for (int i = 0; i < PASSED; i++)
        sigaction(passed[i], &old[i], NULL);
    run->asked = running.asked_by;
    return status;
}
