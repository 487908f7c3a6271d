/* SPDX-License-Identifier: MIT */
/* link.h - bench-rank's connection to the collector */
#ifndef LC_BENCH_LINK_H
#define LC_BENCH_LINK_H

#include <stdint.h>

#include "util/buf.h"
#include "util/error.h"

struct lc_link {
    int fd;
    struct lc_buf in;       /* what came and is not taken yet */
    int64_t launch_wall_ns; /* the launcher's start by the collector's wall clock */
    int64_t offset_ns;      /* our monotonic clock less the collector's */
    int64_t wall_offset_ns; /* the same for the wall clocks */
};

/* Try each of 'hosts' (comma-separated addresses) until one answers to 'token', and measure the
 * clocks. 'begin_ns' is when this process began. 0, or -1 with err filled. */
int lc_link_open(struct lc_link *link, const char *hosts, const char *port, const char *token,
                 long rank, uint64_t begin_ns, struct lc_error *err);
void lc_link_close(struct lc_link *link);

/* One line to the collector; 0, or -1 with errno. */
int lc_link_say(struct lc_link *link, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The next line from it, waited for: at most size bytes. 0, or -1 when the collector is gone. */
int lc_link_hear(struct lc_link *link, char *line, size_t size);

#endif
