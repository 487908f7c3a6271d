/* SPDX-License-Identifier: MIT */
/* collect_hold.c - serve the processes that hold something on their nodes (rank_hold.c)
 *
 * They use the barrier of ranks: one that holds what it should waits there. The connections stay
 * open while it is to be held. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/collect_private.h"
#include "util/clock.h"

enum { RELEASE_MS = 60000 }; /* time for the nodes to remove what they hold */

/* Why not all nodes hold it. */
static int hold_error(const struct lc_collect *c, struct lc_error *err)
{
    int status = c->launcher_status;

    if (lc_interrupted())
        return lc_error_set(err, "interrupted by signal %d", lc_interrupted());
    for (size_t i = 0; i < c->reports; i++)
        if (c->report[i].text)
            return lc_error_set(err, "on %.100s: %.700s", c->report[i].host, c->report[i].text);
    if (c->pid_fd < 0)
        return lc_error_set(err, "'%.100s' ended with %d before the nodes were ready: %.600s",
                            c->launcher_name,
                            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                            lc_buf_text(&c->said));
    return lc_error_set(err, "the nodes were not ready in time: %ld of %ld were", c->waiting,
                        c->ranks);
}

int lc_collect_hold(struct lc_collect *collect, const struct lc_argv *launcher, double timeout_s,
                    struct lc_error *err)
{
    collect->is_hold = true;
    if (lc_collect_start(collect, launcher, err) < 0)
        return -1;
    lc_collect_serve(collect, collect->launch_ns + (int64_t)(timeout_s * 1e9));
    return collect->go_ns && collect->failed == 0 ? 0 : hold_error(collect, err);
}

void lc_collect_release(struct lc_collect *collect)
{
    for (size_t i = 0; i < collect->reports; i++) {
        if (collect->connection[i].fd >= 0)
            close(collect->connection[i].fd);
        collect->connection[i].fd = -1;
    }
    lc_collect_unwatch(collect, &collect->listen_fd); /* who comes now is refused, and ends */
    struct pollfd ended = {.fd = collect->pid_fd, .events = POLLIN};
    uint64_t until = lc_clock_ns() + RELEASE_MS * 1000000ULL;
    while (collect->pid_fd >= 0 && lc_clock_ns() < until && poll(&ended, 1, 1000) <= 0)
        ;
    lc_collect_end_all(collect);
    for (size_t i = 0; i < collect->reports; i++)
        lc_buf_free(&collect->connection[i].in);
}
