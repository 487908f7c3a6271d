/* SPDX-License-Identifier: MIT */
/* collect_listen.c - the collector's listening socket and addresses: IPv4, IPv6, or both */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/collect_private.h"

/* Could a rank on another host use this address? Not a loopback or link-local address. */
static bool is_reachable_address(const struct ifaddrs *a)
{
    if (!a->ifa_addr || !(a->ifa_flags & IFF_UP) || a->ifa_flags & IFF_LOOPBACK)
        return false;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)a->ifa_addr;
    return a->ifa_addr->sa_family == AF_INET ||
           (a->ifa_addr->sa_family == AF_INET6 && !IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr));
}

static void host_add(struct lc_collect *collect, const struct ifaddrs *a)
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)a->ifa_addr;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)a->ifa_addr;
    const void *address =
        four->sin_family == AF_INET ? (const void *)&four->sin_addr : (const void *)&six->sin6_addr;
    char text[INET6_ADDRSTRLEN];
    size_t len = strlen(collect->hosts);

    if (inet_ntop(four->sin_family, address, text, sizeof(text)) &&
        len + strlen(text) + 32 <
            sizeof(collect->hosts)) /* leave room for the loopback addresses */
        sprintf(collect->hosts + len, "%s,", text);
}

/* Lists all addresses that are up: IPv4 first, as it works on more networks; loopback last. */
static void hosts_add_all(struct lc_collect *collect)
{
    static const int families[] = {AF_INET, AF_INET6};
    struct ifaddrs *all = NULL;

    if (getifaddrs(&all) < 0)
        all = NULL;
    for (size_t f = 0; f < 2; f++)
        for (const struct ifaddrs *a = all; a; a = a->ifa_next)
            if (is_reachable_address(a) && a->ifa_addr->sa_family == families[f])
                host_add(collect, a);
    freeifaddrs(all);
    strcat(collect->hosts, "127.0.0.1,::1");
}

static int make_token(struct lc_collect *collect)
{
    unsigned char bytes[16];

    if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
        return -1;
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(collect->token + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

/* A socket that listens at 'address'; sets collect->port. -1 with errno. */
static int listen_at(struct lc_collect *collect, struct sockaddr *address, socklen_t len)
{
    int off = 0, fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)address;

    if (fd >= 0 && address->sa_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (fd >= 0 && (bind(fd, address, len) < 0 || listen(fd, SOMAXCONN) < 0 ||
                    getsockname(fd, address, &len) < 0)) {
        close(fd);
        return -1;
    }
    if (fd >= 0) /* the port is at the same offset in both structures */
        snprintf(collect->port, sizeof(collect->port), "%u", ntohs(in->sin_port));
    return fd;
}

/* Processes on this host need the loopback address only: IPv4's, or IPv6's if there is no IPv4. */
static int listen_on_loopback(struct lc_collect *collect)
{
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = listen_at(collect, (struct sockaddr *)&four, sizeof(four));

    strcpy(collect->hosts, fd >= 0 ? "127.0.0.1" : "::1");
    return fd >= 0 ? fd : listen_at(collect, (struct sockaddr *)&six, sizeof(six));
}

/* One socket for both families; IPv4 only if the kernel has no IPv6. */
static int listen_on_all(struct lc_collect *collect)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    int fd = listen_at(collect, (struct sockaddr *)&six, sizeof(six));

    hosts_add_all(collect);
    return fd >= 0 ? fd : listen_at(collect, (struct sockaddr *)&four, sizeof(four));
}

int lc_collect_listen(struct lc_collect *collect, bool only_here)
{
    collect->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    collect->listen_fd = only_here ? listen_on_loopback(collect) : listen_on_all(collect);
    if (collect->epoll_fd < 0 || collect->listen_fd < 0 || make_token(collect) < 0)
        return -1;
    return lc_collect_watch(collect, collect->listen_fd, LC_EVENT_LISTEN);
}
