/* SPDX-License-Identifier: MIT */
/* link.c - bench-rank's connection to the collector, and its clock against the collector's */
#include "bench/link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/wire.h"
#include "util/clock.h"

enum { CONNECT_S = 5 };

int lc_link_send(struct lc_link *link, const char *fmt, ...)
{
    struct lc_buf line = {0};
    char part[LC_WIRE_LINE];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(part, sizeof(part), fmt, ap);
    va_end(ap);
    lc_buf_puts(&line, part);
    lc_buf_putc(&line, '\n');
    size_t sent = 0;
    while (!line.failed && sent < line.len) {
        ssize_t n = send(link->fd, line.data + sent, line.len - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        sent += (size_t)n;
    }
    int rc = line.failed || sent < line.len ? -1 : 0;
    lc_buf_free(&line);
    return rc;
}

/* Removes a complete line from the received bytes. 0, or -1 if there is none. */
static int line_take(struct lc_link *link, char *line, size_t size)
{
    char *end = link->in.len ? memchr(link->in.data, '\n', link->in.len) : NULL;

    if (!end)
        return -1;
    size_t len = (size_t)(end - link->in.data);
    snprintf(line, size, "%.*s", (int)len, link->in.data);
    memmove(link->in.data, end + 1, link->in.len - len - 1);
    link->in.len -= len + 1;
    return 0;
}

int lc_link_receive(struct lc_link *link, char *line, size_t size)
{
    char part[512];

    while (line_take(link, line, size) < 0) {
        ssize_t n = recv(link->fd, part, sizeof(part), 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || lc_buf_add(&link->in, part, (size_t)n) < 0)
            return -1;
    }
    return 0;
}

/* Parses an IPv4 or IPv6 address. Its length, or 0 with errno. */
static socklen_t read_address(const char *host, const char *port, struct sockaddr_storage *out)
{
    struct sockaddr_in *four = (struct sockaddr_in *)out;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)out;

    *out = (struct sockaddr_storage){0};
    four->sin_port =
        htons((uint16_t)strtoul(port, NULL, 10)); /* at the same offset in both structures */
    out->ss_family = strchr(host, ':') ? AF_INET6 : AF_INET;
    if (inet_pton(out->ss_family, host,
                  strchr(host, ':') ? (void *)&six->sin6_addr : (void *)&four->sin_addr) == 1)
        return strchr(host, ':') ? sizeof(*six) : sizeof(*four);
    errno = EINVAL;
    return 0;
}

/* A connected socket, or -1 with errno. The send timeout, which Linux also uses for connect(),
 * limits the wait for a host that drops packets. */
static int socket_connect(const char *host, const char *port)
{
    const struct timeval patience = {CONNECT_S, 0}, forever = {0, 0};
    struct sockaddr_storage address;
    socklen_t len = read_address(host, port, &address);
    int one = 1, fd = len ? socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (connect(fd, (struct sockaddr *)&address, len) < 0) {
        close(fd);
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &forever, sizeof(forever));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    return fd;
}

/* Measures the clock offset. The exchange with the shortest round trip is used: it has the smallest
 * error. */
static int measure_clocks(struct lc_link *link)
{
    int64_t least = INT64_MAX, now, wall;
    char line[128];

    for (int i = 0; i < LC_WIRE_ROUNDS; i++) {
        int64_t sent = (int64_t)lc_clock_ns(), sent_wall = (int64_t)lc_clock_wall_ns();
        if (lc_link_send(link, "time") < 0 || lc_link_receive(link, line, sizeof(line)) < 0 ||
            sscanf(line, "time %" SCNd64 " %" SCNd64, &now, &wall) != 2)
            return -1;
        int64_t took = (int64_t)lc_clock_ns() - sent;
        if (took >= least)
            continue;
        least = took;
        link->offset_ns = sent + took / 2 - now;
        link->wall_offset_ns = sent_wall + took / 2 - wall;
    }
    return lc_link_send(link, "clock %" PRId64 " %" PRId64 " %" PRId64, link->offset_ns, least,
                        link->wall_offset_ns);
}

/* Introduces this rank to the collector. 0, or -1 if the other side is not our collector. */
static int link_greet(struct lc_link *link, const char *token, long rank, uint64_t begin_ns)
{
    char host[256] = "", line[128];

    gethostname(host, sizeof(host) - 1);
    if (lc_link_send(link, "hello %s %ld %s %" PRIu64, token, rank, host, begin_ns) < 0 ||
        lc_link_receive(link, line, sizeof(line)) < 0 ||
        sscanf(line, "welcome %" SCNd64, &link->launch_wall_ns) != 1)
        return -1;
    return measure_clocks(link);
}

int lc_link_open(struct lc_link *link, const char *hosts, const char *port, const char *token,
                 long rank, uint64_t begin_ns, struct lc_error *err)
{
    int failure = 0;

    for (const char *host = hosts; *host; host += strspn(host, ",")) {
        char one[64];
        size_t len = strcspn(host, ",");
        snprintf(one, sizeof(one), "%.*s", (int)len, host);
        host += len;
        *link = (struct lc_link){.fd = socket_connect(one, port)};
        if (link->fd >= 0 && link_greet(link, token, rank, begin_ns) == 0)
            return 0;
        failure = errno;
        lc_link_close(link);
    }
    errno = failure;
    return lc_error_errno(err, "cannot reach 'loadcast bench' at %s, port %s", hosts, port);
}

void lc_link_close(struct lc_link *link)
{
    if (link->fd >= 0)
        close(link->fd);
    link->fd = -1;
    lc_buf_free(&link->in);
}
