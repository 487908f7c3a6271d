/* SPDX-License-Identifier: MIT */
/* link.h - bench-rank's connection to the collector */
#ifndef LC_BENCH_LINK_H
#define LC_BENCH_LINK_H

#include <stdint.h>

#include "util/buf.h"
#include "util/error.h"

struct lc_link {
    int fd;
    struct lc_buf in;       /* received, not yet consumed */
    int64_t launch_wall_ns; /* the launcher's start by the collector's wall clock */
    int64_t offset_ns;      /* our monotonic clock minus the collector's */
    int64_t wall_offset_ns; /* the same for the wall clocks */
};

/* Connect to the first of 'hosts' (comma-separated addresses) that accepts 'token', and measure the
 * clock offset. 'begin_ns' is when this process started. 0, or -1 with err filled. */
int lc_link_open(struct lc_link *link, const char *hosts, const char *port, const char *token,
                 long rank, uint64_t begin_ns, struct lc_error *err);
void lc_link_close(struct lc_link *link);

/* Send one line to the collector. 0, or -1 with errno. */
int lc_link_send(struct lc_link *link, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Wait for the next line from the collector, at most 'size' bytes. 0, or -1 if the connection is
 * closed. */
int lc_link_receive(struct lc_link *link, char *line, size_t size);

#endif
