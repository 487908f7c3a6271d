/* SPDX-License-Identifier: MIT */
/* server.h - the simulated metadata server: its queue, its data path, its freeze switch
 *
 * A queue is one number: the time at which the server becomes free. A request adds its service time
 * to that number (compare-and-swap) and sleeps until then. This is an exact first-come-first-served
 * queue that costs no CPU time. Several stormfs processes may share the memory of the state. */
#ifndef LC_STORMFS_SERVER_H
#define LC_STORMFS_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "stormfs/histogram.h"
#include "util/error.h"

enum { LC_SERVER_MOST = 64 };

struct lc_server_model {
    uint64_t servers;           /* 1 to LC_SERVER_MOST */
    uint64_t service_ns;        /* per metadata request */
    uint64_t bandwidth_bytes_s; /* 0: no limit */
    double halved_at_readers;   /* that read at once: half of the bandwidth is left; 0: never */
    uint64_t scale; /* tasks that a process stands for; the values above are scaled by it. 0: 1 */
};

struct lc_server_state; /* the shared memory */

struct lc_server {
    struct lc_server_state *state;
    int fd;           /* of its file, locked while in use; -1 without a name */
    const char *file; /* owned; NULL without a name */
};

/* What is charged for: a process that stands for 'scale' tasks, or one that its job has once. */
enum lc_charge { LC_CHARGE_SCALED, LC_CHARGE_ONCE };

/* Statistics; times are sums over all servers. 'once' is the part that was charged without the
 * scale. */
struct lc_server_stats {
    struct lc_server_model model;
    uint64_t requests;
    uint64_t busy_ns;
    uint64_t data_busy_ns;
    uint64_t once_requests, once_busy_ns, once_data_busy_ns;
    double wait_mean_ns;
    uint64_t wait_p99_ns, wait_max_ns;
    bool is_frozen;
};

/* Joins the server of that name, or creates it. NULL: a server of this process alone. A name with a
 * slash is the path of the file to share; for other names the file is in $STORMFS_DIR or /dev/shm.
 * If no process uses the file any more, the server starts anew. 0, or -1 with err filled, also if
 * the server runs with another model or belongs to another user. */
int lc_server_open(struct lc_server *server, const char *name, const struct lc_server_model *model,
                   struct lc_error *err);
/* Leaves a named server; the last process removes its file. The memory stays mapped, since threads
 * may still use it. */
void lc_server_leave(struct lc_server *server);
/* Leaves the server and unmaps its memory. */
void lc_server_close(struct lc_server *server);

/* Take a place in the metadata queue; returns the time at which the request is served. */
uint64_t lc_server_charge(struct lc_server *server, uint64_t now_ns, enum lc_charge charge);
/* Take a place in the queue of the data path; returns the time at which all bytes are sent. Until
 * lc_server_transfer_end the caller counts among those that read at once. (One that is killed
 * meanwhile counts until the server starts anew.) */
uint64_t lc_server_transfer(struct lc_server *server, uint64_t now_ns, uint64_t bytes,
                            enum lc_charge charge);
void lc_server_transfer_end(struct lc_server *server, enum lc_charge charge);

void lc_server_freeze(struct lc_server *server);
void lc_server_thaw(struct lc_server *server);
bool lc_server_is_frozen(const struct lc_server *server);
/* Waits until thawed, at most about 100 ms; the caller checks and calls it again. */
void lc_server_wait_thaw(struct lc_server *server);

void lc_server_get_stats(const struct lc_server *server, struct lc_server_stats *out);
void lc_server_reset_stats(struct lc_server *server);

#endif
