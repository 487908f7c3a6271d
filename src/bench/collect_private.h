/* SPDX-License-Identifier: MIT */
/* collect_private.h - shared by the files of the collector */
#ifndef LC_BENCH_COLLECT_PRIVATE_H
#define LC_BENCH_COLLECT_PRIVATE_H

#include "bench/collect.h"

/* Event numbers of epoll; lower numbers are indices of connections. */
enum { LC_EVENT_LISTEN = 1 << 30, LC_EVENT_SAID, LC_EVENT_ENDED };

/* Connections beyond the number of ranks, for other programs that find our port. */
enum { LC_COLLECT_STRANGERS = 64 };

struct lc_connection {
    int fd;
    struct lc_rank_report *report;
    struct lc_buf in;
    bool is_known;   /* it sent the right token */
    bool is_waiting; /* at a barrier */
    bool is_broken;
};

void lc_collect_accept(struct lc_collect *collect);
/* Open the listening socket; fills hosts, port and token. 0, or -1 with errno. */
int lc_collect_listen(struct lc_collect *collect, bool only_here);

int lc_collect_watch(struct lc_collect *collect, int fd, uint64_t which);
void lc_collect_unwatch(struct lc_collect *collect, int *fd);
/* Start the launcher. 0, or -1 with err filled. */
int lc_collect_start(struct lc_collect *collect, const struct lc_argv *launcher,
                     struct lc_error *err);
/* End all processes of the run on this host. */
void lc_collect_end_all(struct lc_collect *collect);
/* Serve ranks until all have ended, or all hold what they should, or time is up. */
void lc_collect_serve(struct lc_collect *collect, int64_t deadline_ns);

#endif
