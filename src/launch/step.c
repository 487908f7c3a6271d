/* SPDX-License-Identifier: MIT */
/* step.c - run a command, take its output line by line, and end it when it falls silent */
#include "launch/step.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/buf.h"
#include "util/clock.h"

enum {
    END_MS = 2000,     /* for the command to end by itself, once all reports are there */
    KILL_MS = 10000,   /* between SIGTERM and SIGKILL: on a busy node cleaning up takes time */
    ASK_S = 10,        /* patience of lc_step_ask */
    MOST_SAID = 16384, /* bytes of standard error that are kept */
    /* Bytes of output before anybody reads it, if the system allows: a line of each of 16,384
     * nodes. */
    OUTPUT_ROOM = 1 << 20
};

static volatile sig_atomic_t caught; /* the signal that came; the handler gets no argument */

static void on_signal(int number)
{
    caught = number;
}

static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
enum { WATCHED = sizeof(watched) / sizeof(*watched) };

static void signals_watch(struct sigaction old[WATCHED])
{
    struct sigaction act = {.sa_handler = on_signal}; /* no SA_RESTART: poll must return */

    caught = 0;
    for (int i = 0; i < WATCHED; i++) {
        sigaction(watched[i], NULL, &old[i]);
        if (old[i].sa_handler != SIG_IGN) /* nohup, a shell's background job */
            sigaction(watched[i], &act, NULL);
    }
}

static void signals_restore(const struct sigaction old[WATCHED])
{
    for (int i = 0; i < WATCHED; i++)
        sigaction(watched[i], &old[i], NULL);
}

/* Handlers are reset by exec; signals that the caller ignores stay ignored. */
_Noreturn static void child_become(const struct lc_step *step, int in, int out, int errors)
{
    if (in < 0)
        in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    signal(SIGTERM, SIG_DFL); /* so that SIGTERM ends it */
    signal(SIGPIPE, SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (in >= 0)
        dup2(in, 0);
    dup2(out, 1);
    if (errors >= 0 || step->merges_errors)
        dup2(step->merges_errors ? out : errors, 2);
    for (char *const *e = step->clean; e && *e; e++)
        putenv(*e);
    for (char *const *e = step->environment; e && *e; e++)
        putenv(*e);
    execvp(step->argv[0], step->argv);
    _exit(errno == ENOENT ? 127 : 126);
}

/* The output of the command. */
struct reader {
    const struct lc_step *step;
    struct lc_buf text;
    bool is_done;
    bool is_alive; /* what was read last counts as life */
};

/* Pass on the whole lines that were read. Lines of a launcher may contain NUL bytes. */
static void lines_take(struct reader *r)
{
    char *line = r->text.data, *end;
    size_t left = r->text.len;

    while (line && (end = memchr(line, '\n', left))) {
        *end = '\0';
        r->is_alive |= !r->step->is_idle || !r->step->is_idle(line);
        r->is_done |= r->step->take(r->step->arg, line);
        left -= (size_t)(end + 1 - line);
        line = end + 1;
    }
    if (line) {
        memmove(r->text.data, line, left + 1);
        r->text.len = left;
    }
}

static void rest_take(struct reader *r)
{
    if (r->text.len > 0)
        r->is_done |= r->step->take(r->step->arg, r->text.data);
}

/* 1: something was read; 0: nothing came in time, or a signal; -1: end of the output. */
static int output_read(struct reader *r, int fd, int timeout_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char bytes[16384];

    if (poll(&p, 1, timeout_ms) <= 0)
        return 0;
    ssize_t n = read(fd, bytes, sizeof(bytes));
    if (n < 0)
        return errno == EINTR || errno == EAGAIN ? 0 : -1;
    if (n == 0)
        return -1;
    lc_buf_add(&r->text, bytes, (size_t)n);
    r->is_alive = !r->step->is_idle;
    lines_take(r);
    return 1;
}

static bool child_has_ended(pid_t pid, int *status, int wait_ms)
{
    for (int waited = 0;; waited += 2) {
        if (waitpid(pid, status, WNOHANG) == pid)
            return true;
        if (waited >= wait_ms)
            return false;
        usleep(2000);
    }
}

/* End the whole process group: SIGTERM, then SIGKILL. */
static void group_end(pid_t pid, int *status)
{
    kill(-pid, SIGTERM);
    if (!child_has_ended(pid, status, KILL_MS)) {
        kill(-pid, SIGKILL);
        waitpid(pid, status, 0);
    }
}

/* Read until the output ends, 'take' has said that all is there, nothing comes for too long, or a
 * signal comes. 0, or an errno. */
static int output_follow(struct reader *r, int fd)
{
    uint64_t heard = lc_clock_ns();
    double patience_s = r->step->patience_s;

    for (;;) {
        if (caught)
            return EINTR;
        if (r->is_done)
            return 0;
        int got = output_read(r, fd, 200);
        if (got < 0)
            return rest_take(r), 0;
        if (got > 0 && r->is_alive)
            heard = lc_clock_ns();
        else if (patience_s > 0 && (double)(lc_clock_ns() - heard) / 1e9 > patience_s)
            return ETIMEDOUT;
    }
}

static int step_finish(const struct lc_step *step, pid_t pid, int why, int *status,
                       struct lc_error *err)
{
    if (why == 0 && child_has_ended(pid, status, END_MS))
        return 0;
    group_end(pid, status);
    if (why == 0) {
        *status = 0; /* all reports are there: some launchers hang at their end */
        return 0;
    }
    if (why == EINTR)
        *status = caught;
    errno = why;
    return why == EINTR ? lc_error_set(err, "interrupted by a signal")
                        : lc_error_set(err, "'%s' has not said anything for %g s and was ended",
                                       step->argv[0], step->patience_s);
}

static void errors_keep(int errors, struct lc_buf *said)
{
    char bytes[MOST_SAID];
    ssize_t n = errors < 0 ? 0 : pread(errors, bytes, sizeof(bytes), 0);

    for (ssize_t i = 0; said && i < n; i++)
        lc_buf_putc(said, bytes[i] ? bytes[i] : ' ');
    if (errors >= 0)
        close(errors);
}

static void pair_close(int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
}

int lc_step_start(const struct lc_step *step, bool with_input, struct lc_step_process *process,
                  struct lc_error *err)
{
    int out[2] = {-1, -1}, in[2] = {-1, -1};

    *process = (struct lc_step_process){.out = -1, .input = -1, .errors = -1};
    if (pipe2(out, O_CLOEXEC) < 0 || (with_input && pipe2(in, O_CLOEXEC) < 0)) {
        lc_error_errno(err, "cannot make a pipe");
        pair_close(out);
        return -1;
    }
    process->errors = step->said ? memfd_create("errors", MFD_CLOEXEC) : -1;
    pid_t pid = fork();
    if (pid == 0)
        child_become(step, in[0], out[1], process->errors);
    if (pid < 0) {
        lc_error_errno(err, "cannot fork");
        pair_close(out);
        pair_close(in);
        errors_keep(process->errors, step->said);
        return -1;
    }
    setpgid(pid, pid);
    close(out[1]);
    if (with_input) {
        close(in[0]);
        fcntl(out[0], F_SETPIPE_SZ, OUTPUT_ROOM); /* nobody reads it before lc_step_follow */
    }
    process->pid = pid;
    process->out = out[0];
    process->input = in[1];
    return 0;
}

static void process_close(struct lc_step_process *process, struct lc_buf *said)
{
    if (process->input >= 0)
        close(process->input);
    close(process->out);
    errors_keep(process->errors, said);
    *process = (struct lc_step_process){0};
}

/* With the signals watched. */
static int process_follow(const struct lc_step *step, struct lc_step_process *process, int *status,
                          struct lc_error *err)
{
    struct reader r = {.step = step};
    int rc = step_finish(step, process->pid, output_follow(&r, process->out), status, err);
    int saved = errno;

    process_close(process, step->said);
    lc_buf_free(&r.text);
    errno = saved;
    return rc;
}

int lc_step_follow(const struct lc_step *step, struct lc_step_process *process, int *status,
                   struct lc_error *err)
{
    struct sigaction old[WATCHED];

    signals_watch(old);
    int rc = process_follow(step, process, status, err);
    signals_restore(old);
    return rc;
}

void lc_step_abandon(struct lc_step_process *process)
{
    int status, saved = errno;

    if (process->pid <= 0)
        return;
    group_end(process->pid, &status);
    process_close(process, NULL);
    errno = saved;
}

int lc_step_run(const struct lc_step *step, int *status, struct lc_error *err)
{
    struct lc_step_process process;
    struct sigaction old[WATCHED];

    signals_watch(old);
    int rc = lc_step_start(step, false, &process, err);
    if (rc == 0)
        rc = process_follow(step, &process, status, err);
    signals_restore(old);
    return rc;
}

/* The text of lc_step_ask. */
struct answer {
    char *text;
    size_t size, len;
};

static bool answer_add_line(void *arg, char *line)
{
    struct answer *a = arg;
    int n = snprintf(a->text + a->len, a->size - a->len, "%s\n", line);

    a->len += (size_t)n < a->size - a->len ? (size_t)n : a->size - a->len - 1;
    return false;
}

int lc_step_ask(const char *program, const char *option, char *const *clean, char *out, size_t size)
{
    char *argv[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)option, NULL};
    struct answer answer = {.text = out, .size = size};
    struct lc_step step = {.argv = argv,
                           .clean = clean,
                           .patience_s = ASK_S,
                           .take = answer_add_line,
                           .arg = &answer,
                           .merges_errors = true};
    struct lc_error err;
    int status;

    out[0] = '\0';
    if (lc_step_run(&step, &status, &err) == 0)
        return status;
    if (errno == EINTR)
        raise(status);
    return -1;
}
