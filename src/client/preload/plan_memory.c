/* SPDX-License-Identifier: MIT */
/* plan_memory.c - memory for a plan that is too long for a stack
 *
 * A child of vfork that executes leaves it behind in its parent. The thread that made the child
 * goes on only once that is over, so what is known to be of its thread pointer and of another
 * process is free then. */
#include <linux/mman.h>

#include "client/preload/plan.h"
#include "node/arch.h"
#include "node/syscall.h"

enum { KEPT = 8 };

static struct kept {
    long process; /* 0: free place */
    uint64_t thread;
    void *at;
    size_t size;
} all[KEPT];

static long own_process(void)
{
    return LC_SYS3(__NR_getpid, 0, 0, 0);
}

static void drop(struct kept *k)
{
    void *at = k->at;
    size_t size = k->size;

    __atomic_store_n(&k->process, 0, __ATOMIC_RELEASE);
    lc_sys_munmap(at, size);
}

static void drop_left_over(long self, uint64_t thread)
{
    for (int i = 0; i < KEPT; i++) {
        long process = __atomic_load_n(&all[i].process, __ATOMIC_ACQUIRE);
        if (process > 0 && process != self && thread && all[i].thread == thread)
            drop(&all[i]);
    }
}

static void keep(long self, uint64_t thread, void *at, size_t size)
{
    for (int i = 0; i < KEPT; i++) {
        long none = 0;
        if (!__atomic_compare_exchange_n(&all[i].process, &none, -1, false, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue;
        all[i].thread = thread;
        all[i].at = at;
        all[i].size = size;
        __atomic_store_n(&all[i].process, self, __ATOMIC_RELEASE);
        return;
    }
}

void *lc_plan_map(struct lc_plan *plan)
{
    long self = own_process();
    uint64_t thread = lc_arch_thread();

    drop_left_over(self, thread);
    void *at = lc_sys_mmap(plan->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    plan->mapped = lc_sys_is_error(at) ? NULL : at;
    if (plan->mapped)
        keep(self, thread, at, plan->bytes);
    return plan->mapped;
}

void lc_plan_end(struct lc_plan *plan)
{
    void *at = plan->mapped;

    plan->mapped = NULL;
    if (!at)
        return;
    for (int i = 0; i < KEPT; i++)
        if (__atomic_load_n(&all[i].process, __ATOMIC_ACQUIRE) > 0 && all[i].at == at) {
            drop(&all[i]);
            return;
        }
    lc_sys_munmap(at, plan->bytes);
}
