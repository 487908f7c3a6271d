/* SPDX-License-Identifier: MIT */
/* server.c - the metadata queue, the data path and the freeze switch */
#include "stormfs/server.h"

#include <linux/futex.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "stormfs/server_state.h"

static int state_map_private(struct lc_server *server, const struct lc_server_model *model,
                             struct lc_error *err)
{
    void *mem = mmap(NULL, sizeof(*server->state), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (mem == MAP_FAILED)
        return lc_error_errno(err, "cannot allocate the server's memory");
    *server = (struct lc_server){.state = mem, .fd = -1};
    server->state->model = *model;
    return 0;
}

int lc_server_open(struct lc_server *server, const char *name, const struct lc_server_model *model,
                   struct lc_error *err)
{
    if (!name)
        return state_map_private(server, model, err);
    return lc_server_map_file(server, name, model, err);
}

void lc_server_leave(struct lc_server *server)
{
    if (server->file)
        lc_server_leave_file(server);
}

void lc_server_close(struct lc_server *server)
{
    if (!server->state)
        return;
    lc_server_leave(server);
    munmap(server->state, sizeof(*server->state));
    server->state = NULL;
}

/* Appends work of cost_ns to the queue that becomes free at *free_at. *start is when the work
 * begins; returns when it is done. */
static uint64_t queue_append(_Atomic uint64_t *free_at, uint64_t now_ns, uint64_t cost_ns,
                             uint64_t *start)
{
    uint64_t seen = atomic_load(free_at);

    do
        *start = seen > now_ns ? seen : now_ns;
    while (!atomic_compare_exchange_weak(free_at, &seen, *start + cost_ns));
    return *start + cost_ns;
}

/* The server that becomes free first; *free_ns is the time at which it does. */
static _Atomic uint64_t *server_least_loaded(struct lc_server_state *s, uint64_t *free_ns)
{
    _Atomic uint64_t *best = &s->free_at_ns[0];

    *free_ns = atomic_load(best);
    for (uint64_t i = 1; i < s->model.servers; i++) {
        uint64_t at_ns = atomic_load(&s->free_at_ns[i]);
        if (at_ns < *free_ns) {
            *free_ns = at_ns;
            best = &s->free_at_ns[i];
        }
    }
    return best;
}

/* Appends a request to the least loaded server; tries again if another thread changed that server
 * meanwhile. */
static uint64_t queue_append_least_loaded(struct lc_server_state *s, uint64_t now_ns,
                                          uint64_t cost_ns, uint64_t *start)
{
    uint64_t seen;

    for (;;) {
        _Atomic uint64_t *free_at = server_least_loaded(s, &seen);
        *start = seen > now_ns ? seen : now_ns;
        if (atomic_compare_exchange_strong(free_at, &seen, *start + cost_ns))
            return *start + cost_ns;
    }
}

static uint64_t model_scale(const struct lc_server_model *model)
{
    return model->scale > 0 ? model->scale : 1;
}

/* The tasks that a request stands for. */
static uint64_t charge_tasks(const struct lc_server_model *model, enum lc_charge charge)
{
    return charge == LC_CHARGE_ONCE ? 1 : model_scale(model);
}

static void busy_add(_Atomic uint64_t *all, _Atomic uint64_t *once, uint64_t cost_ns,
                     enum lc_charge charge)
{
    atomic_fetch_add_explicit(all, cost_ns, memory_order_relaxed);
    if (charge == LC_CHARGE_ONCE)
        atomic_fetch_add_explicit(once, cost_ns, memory_order_relaxed);
}

uint64_t lc_server_charge(struct lc_server *server, uint64_t now_ns, enum lc_charge charge)
{
    struct lc_server_state *s = server->state;
    uint64_t start = now_ns, done = now_ns;
    uint64_t cost_ns =
        s->model.service_ns * charge_tasks(&s->model, charge) / model_scale(&s->model);

    if (cost_ns > 0)
        done = queue_append_least_loaded(s, now_ns, cost_ns, &start);
    lc_histogram_add(&s->wait, start - now_ns);
    busy_add(&s->busy_ns, &s->once_busy_ns, cost_ns, charge);
    if (charge == LC_CHARGE_ONCE)
        atomic_fetch_add_explicit(&s->once_requests, 1, memory_order_relaxed);
    return done;
}

/* Readers at once hinder each other: bandwidth / (1 + readers / halved_at_readers). */
static double transfer_ns(const struct lc_server_model *model, uint64_t bytes, uint64_t tasks,
                          uint64_t reading_tasks)
{
    double scale = (double)model_scale(model), slower = 0;

    if (model->halved_at_readers > 0)
        slower = (double)reading_tasks / scale / model->halved_at_readers;
    return (double)bytes * 1e9 / (double)model->bandwidth_bytes_s * (double)tasks / scale *
           (1 + slower);
}

uint64_t lc_server_transfer(struct lc_server *server, uint64_t now_ns, uint64_t bytes,
                            enum lc_charge charge)
{
    struct lc_server_state *s = server->state;
    uint64_t start, tasks = charge_tasks(&s->model, charge);
    uint64_t reading_tasks = atomic_fetch_add(&s->reading_tasks, tasks) + tasks;

    if (s->model.bandwidth_bytes_s == 0)
        return now_ns;
    uint64_t cost_ns = (uint64_t)(transfer_ns(&s->model, bytes, tasks, reading_tasks) + 0.5);
    busy_add(&s->data_busy_ns, &s->once_data_busy_ns, cost_ns, charge);
    return queue_append(&s->data_free_at_ns, now_ns, cost_ns, &start);
}

void lc_server_transfer_end(struct lc_server *server, enum lc_charge charge)
{
    atomic_fetch_sub(&server->state->reading_tasks, charge_tasks(&server->state->model, charge));
}

static void futex_call(_Atomic uint32_t *word, int op, uint32_t value,
                       const struct timespec *timeout)
{
    syscall(SYS_futex, word, op, value, timeout, NULL, 0);
}

void lc_server_freeze(struct lc_server *server)
{
    atomic_store(&server->state->frozen, 1);
}

void lc_server_thaw(struct lc_server *server)
{
    atomic_store(&server->state->frozen, 0);
    futex_call(&server->state->frozen, FUTEX_WAKE, INT_MAX, NULL);
}

bool lc_server_is_frozen(const struct lc_server *server)
{
    return atomic_load(&server->state->frozen) != 0;
}

void lc_server_wait_thaw(struct lc_server *server)
{
    const struct timespec wait = {0, 100 * 1000 * 1000};

    futex_call(&server->state->frozen, FUTEX_WAIT, 1, &wait);
}

void lc_server_get_stats(const struct lc_server *server, struct lc_server_stats *out)
{
    struct lc_server_state *s = server->state;

    *out = (struct lc_server_stats){
        .model = s->model,
        .requests = atomic_load(&s->wait.count),
        .busy_ns = atomic_load(&s->busy_ns),
        .data_busy_ns = atomic_load(&s->data_busy_ns),
        .once_requests = atomic_load(&s->once_requests),
        .once_busy_ns = atomic_load(&s->once_busy_ns),
        .once_data_busy_ns = atomic_load(&s->once_data_busy_ns),
        .wait_mean_ns = lc_histogram_mean_ns(&s->wait),
        .wait_p99_ns = lc_histogram_quantile_ns(&s->wait, 0.99),
        .wait_max_ns = atomic_load(&s->wait.max_ns),
        .is_frozen = lc_server_is_frozen(server),
    };
}

void lc_server_reset_stats(struct lc_server *server)
{
    lc_histogram_reset(&server->state->wait);
    atomic_store(&server->state->busy_ns, 0);
    atomic_store(&server->state->data_busy_ns, 0);
    atomic_store(&server->state->once_requests, 0);
    atomic_store(&server->state->once_busy_ns, 0);
    atomic_store(&server->state->once_data_busy_ns, 0);
}
