/* SPDX-License-Identifier: MIT */
/* rank_run.c - bench-rank: run the program and keep its marks
 *
 * Marks are sent only after the program has ended: earlier messages would wake the collector, which
 * on a small machine takes CPU time from the ranks. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/rank.h"
#include "bench/wire.h"
#include "util/clock.h"
#include "util/error.h"

struct mark {
    char name[64];
    int64_t ns;
};

/* Output stream of the program: the incomplete last line, and the end of the text before it. */
struct stream {
    int fd;
    struct lc_buf line, tail;
};

struct program {
    struct lc_link *link;
    pid_t pid;
    int64_t spawn_ns;
    int barrier_fd; /* a byte written here lets the program go on */
    struct stream out, err;
    struct mark mark[LC_WIRE_MARKS];
    size_t marks;
};

static void tail_add(struct lc_buf *tail, const char *text, size_t len)
{
    lc_buf_add(tail, text, len);
    lc_buf_putc(tail, '\n');
    if (tail->len > 2 * LC_WIRE_TEXT) {
        memmove(tail->data, tail->data + tail->len - LC_WIRE_TEXT, LC_WIRE_TEXT);
        tail->len = LC_WIRE_TEXT;
    }
}

/* Adds a mark; 'text' follows LC_MARK_LINE and is "NAME" or "NAME NS". */
static void mark_add(struct program *p, const char *text, int64_t now_ns)
{
    struct mark *mark = &p->mark[p->marks];
    int64_t ns;

    if (p->marks == LC_WIRE_MARKS)
        return;
    int fields = sscanf(text, "%63s %" SCNd64, mark->name, &ns);
    mark->ns = fields == 2 ? ns : now_ns;
    p->marks += fields >= 1;
}

static void line_handle(struct program *p, struct stream *s, int64_t now_ns)
{
    const char *line = lc_buf_text(&s->line);

    if (s == &p->out && strncmp(line, LC_MARK_LINE, strlen(LC_MARK_LINE)) == 0)
        mark_add(p, line + strlen(LC_MARK_LINE), now_ns);
    else if (s == &p->out && strcmp(line, LC_BARRIER_LINE) == 0)
        lc_link_send(p->link, "barrier");
    else if (s->line.len > 0)
        tail_add(&s->tail, line, s->line.len);
    lc_buf_clear(&s->line);
}

/* Reads what the program wrote; closes the stream at its end. */
static void stream_read(struct program *p, struct stream *s)
{
    char part[4096];
    ssize_t n = read(s->fd, part, sizeof(part));
    int64_t now = (int64_t)lc_clock_ns();

    if (n < 0 && errno == EINTR)
        return;
    for (ssize_t i = 0; i < n; i++)
        if (part[i] == '\n' || s->line.len > LC_WIRE_TEXT)
            line_handle(p, s, now);
        else
            lc_buf_putc(&s->line, part[i]);
    if (n > 0)
        return;
    line_handle(p, s, now);
    close(s->fd);
    s->fd = -1;
}

/* Handles a message of the collector: opens the barrier. If the collector is gone, kills the
 * program. */
static void collector_read(struct program *p)
{
    char line[64];

    if (lc_link_receive(p->link, line, sizeof(line)) < 0)
        kill(-p->pid, SIGKILL);
    else if (strcmp(line, "go") == 0 && write(p->barrier_fd, "g", 1) < 0)
        kill(-p->pid, SIGKILL);
}

/* Pipes to the program, and its standard input; made before the time measurement starts. */
struct pipes {
    int out[2], err[2], barrier[2], null;
};

static int pipes_make(struct pipes *e)
{
    char number[16];

    e->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (pipe2(e->out, O_CLOEXEC) < 0 || pipe2(e->err, O_CLOEXEC) < 0 ||
        pipe2(e->barrier, O_CLOEXEC) < 0 || fcntl(e->barrier[0], F_SETFD, 0) < 0)
        return -1;
    snprintf(number, sizeof(number), "%d", e->barrier[0]);
    return setenv(LC_BARRIER_FD, number, 1) < 0 || setenv(LC_MARKS_ASKED, "1", 1) < 0 ? -1 : 0;
}

/* Runs in the child of vfork(), which shares the parent's memory. */
static void exec_program(char **argv, const struct pipes *e)
{
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL); /* bench-rank ignores it, the program must not */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(e->null, STDIN_FILENO);
    dup2(e->out[1], STDOUT_FILENO);
    dup2(e->err[1], STDERR_FILENO);
    execvp(argv[0], argv);
    dprintf(STDERR_FILENO, "bench-rank: cannot execute '%s': %s\n", argv[0], strerror(errno));
    _exit(lc_exit_of_start(errno));
}

/* vfork because fork would copy our page tables: a fifth of the time that a rank's start takes. */
static int program_start(struct program *p, char **argv, const struct pipes *e, bool is_forked)
{
    p->spawn_ns = (int64_t)lc_clock_ns();
    p->pid = is_forked ? fork() : vfork();
    if (p->pid == 0)
        exec_program(argv, e);
    if (p->pid > 0)
        setpgid(p->pid, p->pid);
    close(e->out[1]);
    close(e->err[1]);
    close(e->barrier[0]);
    p->out.fd = e->out[0];
    p->err.fd = e->err[0];
    p->barrier_fd = e->barrier[1];
    return p->pid < 0 ? -1 : 0;
}

/* Reads until the program has closed its streams, or has ended: a process that it left behind may
 * keep them open. */
static void program_attend(struct program *p)
{
    while (p->out.fd >= 0 || p->err.fd >= 0) {
        struct pollfd fd[] = {
            {p->out.fd, POLLIN, 0}, {p->err.fd, POLLIN, 0}, {p->link->fd, POLLIN, 0}};
        siginfo_t ended = {0};
        int ready = poll(fd, 3, 200);
        if (ready < 0 && errno != EINTR)
            return;
        if (ready > 0 && fd[0].revents)
            stream_read(p, &p->out);
        if (ready > 0 && fd[1].revents)
            stream_read(p, &p->err);
        if (ready > 0 && fd[2].revents)
            collector_read(p);
        if (ready == 0 && waitid(P_PID, (id_t)p->pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            ended.si_pid == p->pid)
            return;
    }
}

static void text_send(struct program *p)
{
    struct lc_buf text = {0};
    const struct lc_buf *tail = p->err.tail.len > 0 ? &p->err.tail : &p->out.tail;
    size_t from = tail->len > LC_WIRE_TEXT ? tail->len - LC_WIRE_TEXT : 0;

    if (tail->len > 0 && lc_buf_escape(&text, tail->data + from, tail->len - from) == 0)
        lc_link_send(p->link, "text %s", lc_buf_text(&text));
    lc_buf_free(&text);
}

static int report_send(struct program *p, int status, int64_t end_ns, const struct rusage *used)
{
    int64_t cpu_us = (used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000000LL +
                     used->ru_utime.tv_usec + used->ru_stime.tv_usec;
    int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);

    lc_link_send(p->link, "spawn %" PRId64, p->spawn_ns);
    for (size_t i = 0; i < p->marks; i++)
        lc_link_send(p->link, "mark %s %" PRId64, p->mark[i].name, p->mark[i].ns);
    lc_link_send(p->link, "end %d %" PRId64 " %" PRId64 " %ld", code, end_ns, cpu_us,
                 used->ru_maxrss);
    if (code != 0)
        text_send(p);
    lc_link_send(p->link, "bye");
    return code;
}

/* Waits until all ranks are connected. */
static int wait_for_all_ranks(struct lc_link *link)
{
    char line[64];

    return lc_link_send(link, "barrier") == 0 && lc_link_receive(link, line, sizeof(line)) == 0 &&
                   strcmp(line, "go") == 0
               ? 0
               : -1;
}

int lc_rank_run(struct lc_link *link, char **argv, bool is_forked)
{
    struct program p = {.link = link, .out.fd = -1, .err.fd = -1};
    struct pipes ends;
    struct rusage used = {0};
    int status = 0;

    if (pipes_make(&ends) < 0 || wait_for_all_ranks(link) < 0 ||
        program_start(&p, argv, &ends, is_forked) < 0)
        return LC_EXIT_SELF;
    program_attend(&p);
    while (wait4(p.pid, &status, 0, &used) < 0 && errno == EINTR)
        ;
    int code = report_send(&p, status, (int64_t)lc_clock_ns(), &used);
    struct lc_buf *mine[] = {&p.out.line, &p.out.tail, &p.err.line, &p.err.tail};
    for (size_t i = 0; i < sizeof(mine) / sizeof(*mine); i++)
        lc_buf_free(mine[i]);
    return code;
}
