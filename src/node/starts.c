/* SPDX-License-Identifier: MIT */
/* starts.c - rows of processes in 'live'. Freestanding. */
#include "node/starts.h"

#include "node/syscall.h"

enum { TRIES = 8 };

static uint32_t own_pid(void)
{
    return (uint32_t)LC_SYS3(__NR_getpid, 0, 0, 0);
}

/* A free row, or the one of the program that this process was before. If rows are short, another
 * process loses its own. */
static struct lc_live_start *row_take(struct lc_live *live, uint32_t pid)
{
    for (uint32_t i = 0; i < TRIES; i++) {
        struct lc_live_start *row = &live->start[(pid + i) % LC_LIVE_STARTS];
        uint32_t none = 0;
        if (__atomic_load_n(&row->pid, __ATOMIC_RELAXED) == pid ||
            __atomic_compare_exchange_n(&row->pid, &none, pid, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return row;
    }
    return &live->start[pid % LC_LIVE_STARTS];
}

void lc_start_begin(struct lc_node *node)
{
    uint32_t pid = own_pid();
    struct lc_live_start *row = row_take(node->live, pid);

    row->part = LC_PART_NONE;
    row->has_replayed = 0;
    __atomic_store_n(&row->loaded_ticks, lc_ticks(), __ATOMIC_RELAXED);
    __atomic_store_n(&row->pid, pid, __ATOMIC_RELEASE);
    node->start = row;
}

void lc_start_end(const struct lc_node *node)
{
    uint32_t own = node->start ? own_pid() : 0;

    if (own)
        __atomic_compare_exchange_n(&node->start->pid, &own, 0, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED);
}
