/* SPDX-License-Identifier: MIT */
/* collect.h - the collector: serves the ranks of a run (bench-rank), with their clocks, barriers
 * and phase marks */
#ifndef LC_BENCH_COLLECT_H
#define LC_BENCH_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/wire.h"
#include "util/buf.h"
#include "util/error.h"
#include "util/run.h"

struct lc_phase_mark {
    char name[64];
    int64_t ns;
};

/* What one rank reported. Times are by the rank's clock until lc_collect_run() returns, then by
 * ours. */
struct lc_rank_report {
    long rank;
    char host[256];
    int64_t begin_ns, spawn_ns, end_ns;
    int64_t offset_ns, rtt_ns,
        wall_offset_ns;         /* rank's clock minus ours; round-trip time; same for wall clocks */
    struct lc_phase_mark *mark; /* owned */
    size_t marks;
    int status; /* exit code; -1: it has not ended, or the connection was lost */
    double cpu_s;
    long maxrss_kb;
    char *text; /* the end of its standard error, when it failed; owned, may be NULL */
};

enum lc_collected { LC_COLLECTED_DONE, LC_COLLECTED_FAILED, LC_COLLECTED_TIMEOUT };

struct lc_collect {
    long ranks;
    char hosts[1024], port[8], token[33]; /* for bench-rank's command line */
    int64_t launch_ns, launch_wall_ns;    /* when the launcher was started */
    int64_t go_ns;                        /* when the last barrier was opened */
    long nodes;                           /* hosts that ranks reported from */
    struct lc_rank_report *report;        /* 'reports' of them, in the order of ranks */
    size_t reports;
    struct lc_buf said; /* the last output of the launcher itself */
    int launcher_status;
    char reason[512]; /* why the outcome is not DONE: one line */

    /* private */
    int listen_fd, epoll_fd, said_fd, pid_fd;
    int pid;
    struct lc_connection *connection;
    long waiting, gone, failed;
    bool is_hold; /* the ranks are processes that hold something on their nodes */
    char launcher_name[128];
};

/* Listen for 'ranks' ranks: on this host only, or on all its addresses. 0, or -1 with err filled.
 */
int lc_collect_open(struct lc_collect *collect, long ranks, bool only_here, struct lc_error *err);
void lc_collect_close(struct lc_collect *collect);

/* Start the launcher in a process group of its own and serve its ranks until all have ended,
 * 'timeout_s' has passed, or lc_interrupted() is set. No process of the run is left. Results are in
 * *collect. -1 with err filled if the launcher cannot be started. */
int lc_collect_run(struct lc_collect *collect, const struct lc_argv *launcher, double timeout_s,
                   enum lc_collected *outcome, struct lc_error *err);

/* The largest number of nodes, for a collector whose processes tell how many there are. */
enum { LC_COLLECT_NODES = 65536 };

/* Start a launcher whose processes hold something on their nodes (bench-rank hold), and wait until
 * all do. Neither the launcher nor they get a signal when this process ends: they find the
 * connection closed, clean up, and end. Call lc_collect_release() whatever this returns. 0, or -1
 * with err filled. */
int lc_collect_hold(struct lc_collect *collect, const struct lc_argv *launcher, double timeout_s,
                    struct lc_error *err);
/* Let them clean up and end, and wait for that. */
void lc_collect_release(struct lc_collect *collect);

/* Install handlers: SIGINT, SIGTERM and SIGHUP then only set lc_interrupted(). */
void lc_interrupt_catch(void);
int lc_interrupted(void); /* the signal, or 0 */

#endif
