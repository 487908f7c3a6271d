/* SPDX-License-Identifier: MIT */
/* exec_plan_memory.c - memory for a plan that is too long for a stack */
#include <linux/mman.h>

#include "client/preload/exec_plan.h"
#include "node/arch.h"
#include "node/syscall.h"

/* A mapping outlives the plan of a child of vfork, so the list belongs to the process and not to a
 * plan. */
static struct lc_exec_plan_memory memory;

static long own_process(void)
{
    return LC_SYS3(__NR_getpid, 0, 0, 0);
}

static long mapping_process(const struct lc_exec_plan_mapping *m)
{
    return __atomic_load_n(&m->process, __ATOMIC_ACQUIRE);
}

static void mapping_unmap(struct lc_exec_plan_mapping *m)
{
    void *at = m->at;
    size_t size = m->size;

    __atomic_store_n(&m->process, 0, __ATOMIC_RELEASE);
    lc_sys_munmap(at, size);
}

void lc_exec_plan_memory_clean(struct lc_exec_plan_memory *all, long process, uint64_t thread)
{
    for (int i = 0; i < LC_EXEC_PLAN_MEMORIES; i++) {
        struct lc_exec_plan_mapping *m = &all->mapping[i];
        long owner = mapping_process(m);
        if (owner > 0 && owner != process && thread && m->thread == thread)
            mapping_unmap(m);
    }
}

void lc_exec_plan_memory_add(struct lc_exec_plan_memory *all, long process, uint64_t thread,
                             void *at, size_t size)
{
    for (int i = 0; i < LC_EXEC_PLAN_MEMORIES; i++) {
        struct lc_exec_plan_mapping *m = &all->mapping[i];
        long none = 0;
        if (!__atomic_compare_exchange_n(&m->process, &none, -1, false, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue;
        m->thread = thread;
        m->at = at;
        m->size = size;
        __atomic_store_n(&m->process, process, __ATOMIC_RELEASE);
        return;
    }
}

bool lc_exec_plan_memory_free(struct lc_exec_plan_memory *all, const void *at)
{
    for (int i = 0; i < LC_EXEC_PLAN_MEMORIES; i++)
        if (mapping_process(&all->mapping[i]) > 0 && all->mapping[i].at == at) {
            mapping_unmap(&all->mapping[i]);
            return true;
        }
    return false;
}

void *lc_exec_plan_map(struct lc_exec_plan *plan)
{
    long self = own_process();
    uint64_t thread = lc_arch_thread();

    lc_exec_plan_memory_clean(&memory, self, thread);
    void *at = lc_sys_mmap(plan->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    plan->mapped = lc_sys_is_error(at) ? NULL : at;
    if (plan->mapped)
        lc_exec_plan_memory_add(&memory, self, thread, at, plan->bytes);
    return plan->mapped;
}

void lc_exec_plan_end(struct lc_exec_plan *plan)
{
    void *at = plan->mapped;

    plan->mapped = NULL;
    if (at && !lc_exec_plan_memory_free(&memory, at))
        lc_sys_munmap(at, plan->bytes);
}
