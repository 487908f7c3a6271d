/* SPDX-License-Identifier: MIT */
/* collect.c - serve the ranks of one run */
#include "bench/collect.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/collect_private.h"
#include "util/clock.h"

enum {
    GRACE_MS = 10000,   /* time for the other ranks to end after one has failed */
    LINGER_MS = 2000,   /* time for the last reports after the launcher has ended */
    SAID_BYTES = 16384, /* of the launcher's output that are kept */
};

static volatile sig_atomic_t interrupted;

static void note_signal(int number)
{
    interrupted = number;
}

void lc_interrupt_catch(void)
{
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction how = {.sa_handler = note_signal}, was;

    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        if (sigaction(numbers[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaction(numbers[i], &how, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int lc_interrupted(void)
{
    return interrupted;
}

static void connection_send(struct lc_connection *c, const char *text)
{
    if (send(c->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        c->is_broken = true;
}

/* Opens the barrier if all ranks that have not ended are waiting. */
static void open_barrier(struct lc_collect *collect)
{
    if (collect->waiting == 0 || collect->waiting + collect->gone < collect->ranks)
        return;
    collect->go_ns = (int64_t)lc_clock_ns();
    collect->waiting = 0;
    for (size_t i = 0; i < collect->reports; i++)
        if (collect->connection[i].is_waiting) {
            collect->connection[i].is_waiting = false;
            connection_send(&collect->connection[i], "go\n");
        }
}

static void read_mark(struct lc_rank_report *r, const char *line)
{
    struct lc_phase_mark *more = realloc(r->mark, (r->marks + 1) * sizeof(*more));

    if (!more)
        return;
    r->mark = more;
    if (r->marks < LC_WIRE_MARKS &&
        sscanf(line, "mark %63s %" SCNd64, more[r->marks].name, &more[r->marks].ns) == 2)
        r->marks++;
}

static void read_text(struct lc_rank_report *r, const char *text)
{
    struct lc_buf plain = {0};

    free(r->text);
    r->text = NULL;
    if (lc_buf_unescape(&plain, text, strlen(text)) == 0)
        r->text = strdup(lc_buf_text(&plain));
    lc_buf_free(&plain);
}

static void read_hello(struct lc_collect *collect, struct lc_connection *c, const char *line)
{
    struct lc_rank_report *r = c->report;
    char token[40], text[64];

    if (sscanf(line, "hello %39s %ld %255s %" SCNd64, token, &r->rank, r->host, &r->begin_ns) !=
            4 ||
        strcmp(token, collect->token) != 0) {
        c->is_broken = true;
        return;
    }
    c->is_known = true;
    snprintf(text, sizeof(text), "welcome %" PRId64 "\n", collect->launch_wall_ns);
    connection_send(c, text);
}

static void send_time(struct lc_connection *c)
{
    char text[80];

    snprintf(text, sizeof(text), "time %" PRIu64 " %" PRIu64 "\n", lc_clock_ns(),
             lc_clock_wall_ns());
    connection_send(c, text);
}

static void read_end(struct lc_rank_report *r, const char *line)
{
    int64_t cpu_us;

    if (sscanf(line, "end %d %" SCNd64 " %" SCNd64 " %ld", &r->status, &r->end_ns, &cpu_us,
               &r->maxrss_kb) == 4)
        r->cpu_s = (double)cpu_us / 1e6;
}

/* The number of processes that hold something, as one of them knows it. */
static void read_size(struct lc_collect *collect, const char *line)
{
    long size;

    if (collect->is_hold && sscanf(line, "size %ld", &size) == 1 && size > 0 &&
        size <= LC_COLLECT_NODES)
        collect->ranks = size;
}

static void read_line(struct lc_collect *collect, struct lc_connection *c, const char *line)
{
    struct lc_rank_report *r = c->report;

    if (!c->is_known)
        read_hello(collect, c, line);
    else if (strcmp(line, "time") == 0)
        send_time(c);
    else if (strcmp(line, "barrier") == 0) {
        collect->waiting += !c->is_waiting;
        c->is_waiting = true;
        open_barrier(collect);
    } else if (strncmp(line, "mark ", 5) == 0)
        read_mark(r, line);
    else if (strncmp(line, "size ", 5) == 0)
        read_size(collect, line);
    else if (strncmp(line, "text ", 5) == 0)
        read_text(r, line + 5);
    else if (strncmp(line, "end ", 4) == 0)
        read_end(r, line);
    else
        (void)(sscanf(line, "spawn %" SCNd64, &r->spawn_ns) == 1 ||
               sscanf(line, "clock %" SCNd64 " %" SCNd64 " %" SCNd64, &r->offset_ns, &r->rtt_ns,
                      &r->wall_offset_ns));
}

static void read_lines(struct lc_collect *collect, struct lc_connection *c)
{
    size_t from = 0;

    for (char *end; from < c->in.len && !c->is_broken; from = (size_t)(end - c->in.data) + 1) {
        end = memchr(c->in.data + from, '\n', c->in.len - from);
        if (!end)
            break;
        *end = '\0';
        read_line(collect, c, c->in.data + from);
    }
    if (from > 0) {
        memmove(c->in.data, c->in.data + from, c->in.len - from);
        c->in.len -= from;
    }
    c->is_broken |= c->in.len > 4 * LC_WIRE_LINE;
}

static void connection_close(struct lc_collect *collect, struct lc_connection *c)
{
    close(c->fd);
    c->fd = -1;
    if (!c->is_known)
        return;
    collect->waiting -= c->is_waiting;
    c->is_waiting = false;
    collect->gone++;
    collect->failed += c->report->status != 0;
    open_barrier(collect);
}

static void connection_read(struct lc_collect *collect, struct lc_connection *c)
{
    char part[LC_WIRE_LINE];
    ssize_t n = recv(c->fd, part, sizeof(part), MSG_DONTWAIT);

    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n > 0 && lc_buf_add(&c->in, part, (size_t)n) == 0)
        read_lines(collect, c);
    if (n <= 0 || c->is_broken)
        connection_close(collect, c);
}

/* Keeps the end of the launcher's output, which may be the only explanation of a failure. */
static void read_launcher_output(struct lc_collect *collect)
{
    char part[4096];
    ssize_t n = read(collect->said_fd, part, sizeof(part));

    if (n > 0)
        lc_buf_add(&collect->said, part, (size_t)n);
    if (collect->said.len > 2 * SAID_BYTES) {
        memmove(collect->said.data, collect->said.data + collect->said.len - SAID_BYTES,
                SAID_BYTES);
        collect->said.len = SAID_BYTES;
    }
    if (n == 0 || (n < 0 && errno != EINTR))
        lc_collect_unwatch(collect, &collect->said_fd);
}

static void event_handle(struct lc_collect *collect, uint64_t which)
{
    if (which == LC_EVENT_LISTEN)
        lc_collect_accept(collect);
    else if (which == LC_EVENT_SAID)
        read_launcher_output(collect);
    else if (which == LC_EVENT_ENDED) {
        while (waitpid(collect->pid, &collect->launcher_status, 0) < 0 && errno == EINTR)
            ;
        lc_collect_unwatch(collect, &collect->pid_fd);
    } else if (collect->connection[which].fd >= 0)
        connection_read(collect, &collect->connection[which]);
}

/* Shortens the deadline once a rank has failed or the launcher has ended; never extends it. */
static int64_t nearer_deadline(struct lc_collect *collect, int64_t deadline_ns, bool *is_cut)
{
    int64_t now = (int64_t)lc_clock_ns(), cut = deadline_ns;

    if (collect->pid_fd < 0)
        cut = now + LINGER_MS * 1000000LL;
    else if (collect->failed > 0)
        cut = now + GRACE_MS * 1000000LL;
    if (*is_cut || cut >= deadline_ns)
        return deadline_ns;
    *is_cut = true;
    return cut;
}

static bool has_run_ended(const struct lc_collect *collect)
{
    if (collect->is_hold && (collect->go_ns || collect->failed > 0))
        return true;
    if (collect->pid_fd >= 0 || collect->said_fd >= 0)
        return false;
    for (size_t i = 0; i < collect->reports; i++)
        if (collect->connection[i].fd >= 0 && collect->connection[i].is_known)
            return false;
    return true;
}

void lc_collect_serve(struct lc_collect *collect, int64_t deadline_ns)
{
    struct epoll_event event[64];
    bool is_cut = false, had_launcher = true;

    while (!has_run_ended(collect) && !interrupted) {
        if (had_launcher && collect->pid_fd < 0)
            had_launcher = is_cut = false;
        deadline_ns = nearer_deadline(collect, deadline_ns, &is_cut);
        int64_t left = deadline_ns - (int64_t)lc_clock_ns();
        if (left <= 0)
            return;
        int ready = epoll_wait(collect->epoll_fd, event, 64, (int)(left / 1000000 + 1));
        for (int i = 0; i < ready; i++)
            event_handle(collect, event[i].data.u64);
    }
}
