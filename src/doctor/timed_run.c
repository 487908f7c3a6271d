/* SPDX-License-Identifier: MIT */
/* timed_run.c - run a command for a limited time, with its streams in files
 *
 * A launcher's ranks may be in process groups of their own, so ending a command means its group
 * and then whatever is left of its descendants, which become our children (subreaper). */
#include "doctor/timed_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"

enum { GRACE_MS = 2000, TURN_MS = 100 };

static sigset_t watched, before;

void lc_timed_run_begin(void)
{
    static const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};

    sigemptyset(&watched);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        sigaddset(&watched, numbers[i]);
    sigprocmask(SIG_BLOCK, &watched, &before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static int stream_open(const char *file, int flags, int as)
{
    int fd = open(file, flags | O_NOFOLLOW, 0600);

    if (fd < 0)
        return -1;
    if (fd == as)
        return 0;
    int rc = dup2(fd, as);
    close(fd);
    return rc < 0 ? -1 : 0;
}

_Noreturn static void command_execute(const struct lc_timed_run *run, int report)
{
    enum { FRESH = O_WRONLY | O_CREAT | O_TRUNC };

    setsid();
    if (stream_open(run->input, O_RDONLY, STDIN_FILENO) == 0 &&
        stream_open(run->output, FRESH, STDOUT_FILENO) == 0 &&
        stream_open(run->errors, FRESH, STDERR_FILENO) == 0) {
        for (char *const *set = run->set; set && *set; set++)
            putenv(*set);
        if (run->unset)
            unsetenv(run->unset);
        sigprocmask(SIG_SETMASK, &before, NULL);
        execvp(run->argv[0], run->argv);
    }
    int code = errno;
    ssize_t sent = write(report, &code, sizeof(code));
    _exit(sent > 0 ? LC_EXIT_NOT_EXECUTABLE : LC_EXIT_SELF);
}

/* Start the command. Its process; or -1 with errno. */
static pid_t command_start(const struct lc_timed_run *run)
{
    int report[2], code = 0;

    if (pipe2(report, O_CLOEXEC) < 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0)
        command_execute(run, report[1]);
    close(report[1]);
    ssize_t n = pid < 0 ? 0 : read(report[0], &code, sizeof(code));
    close(report[0]);
    if (n == (ssize_t)sizeof(code)) {
        waitpid(pid, NULL, 0);
        errno = code;
        return -1;
    }
    return pid;
}

/* Wait for a signal that matters, at most so long. The signal that asks us to end, else 0. */
static int signal_await(int ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    int number = sigtimedwait(&watched, NULL, &time);

    return number > 0 && number != SIGCHLD ? number : 0;
}

/* Reap all children that have ended. True if 'pid' is among them. */
static bool children_reap(pid_t pid, int *status)
{
    bool is_over = false;
    int other;

    for (pid_t ended; (ended = waitpid(-1, &other, WNOHANG)) > 0;)
        if (ended == pid) {
            *status = other;
            is_over = true;
        }
    return is_over;
}

/* Kill all that is left of the command: our children, and theirs when they become ours. */
static void leftovers_kill(void)
{
    char path[64], line[4096];
    int ignored;

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    for (int turn = 0; turn < GRACE_MS / TURN_MS; turn++) {
        FILE *f = fopen(path, "re");
        bool any = f && fgets(line, sizeof(line), f);
        for (char *at = line; any && *at;) {
            long pid = strtol(at, &at, 10);
            if (pid <= 1)
                break;
            kill((pid_t)pid, SIGKILL);
        }
        if (f)
            fclose(f);
        children_reap(0, &ignored);
        if (!any)
            return;
        signal_await(TURN_MS / 10);
    }
}

/* End the command: politely first, since launchers then end their ranks. */
static void command_end(pid_t pid, bool is_over, int *status)
{
    kill(-pid, SIGTERM);
    for (int waited = 0; !is_over && waited < GRACE_MS; waited += TURN_MS) {
        signal_await(TURN_MS);
        is_over = children_reap(pid, status);
    }
    kill(-pid, SIGKILL);
    leftovers_kill();
}

static int left_ms(uint64_t began_ns, double limit_s)
{
    double left = limit_s - (double)(lc_clock_ns() - began_ns) / 1e9;

    return left > 1 ? 1000 : (int)(left * 1000);
}

int lc_timed_run(const struct lc_timed_run *run, struct lc_timed_end *end, struct lc_error *err)
{
    uint64_t began = lc_clock_ns();
    int asked = 0;
    bool is_over = false;
    pid_t pid = command_start(run);

    *end = (struct lc_timed_end){.status = 0};
    if (pid < 0)
        return lc_error_errno(err, "cannot execute '%s'", run->argv[0]);
    while (!(is_over = children_reap(pid, &end->status)) && !asked) {
        int ms = left_ms(began, run->limit_s);
        if (ms <= 0)
            break;
        asked = signal_await(ms);
    }
    end->seconds = (double)(lc_clock_ns() - began) / 1e9;
    end->timed_out = !is_over && !asked;
    if (!is_over)
        command_end(pid, false, &end->status);
    if (!asked)
        return 0;
    errno = EINTR;
    return lc_error_set(err, "ended by signal %d; the command was ended too", asked);
}
