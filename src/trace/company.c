/* SPDX-License-Identifier: MIT */
/* company.c - keep the tracer and the thread it serves most on one CPU */
#include "trace/company.h"

#include <stddef.h>
#include <sys/uio.h>

#include "util/clock.h"

enum {
    STOPS_IN_A_ROW = 8,     /* before a thread is worth binding */
    RELEASE_NS = 250000000, /* then the scheduler may choose another CPU */
};

void lc_company_begin(struct lc_company *c)
{
    *c = (struct lc_company){0};
    c->is_on = sched_getaffinity(0, sizeof(c->ours), &c->ours) == 0 && CPU_COUNT(&c->ours) > 1;
}

void lc_company_release(struct lc_company *c)
{
    if (!c->tid)
        return;
    sched_setaffinity(c->tid, sizeof(c->theirs), &c->theirs);
    sched_setaffinity(0, sizeof(c->ours), &c->ours);
    c->tid = 0;
}

static void bind_to_our_cpu(struct lc_company *c, pid_t tid)
{
    int cpu = sched_getcpu();
    cpu_set_t one;

    CPU_ZERO(&one);
    if (cpu < 0 || sched_getaffinity(tid, sizeof(c->theirs), &c->theirs) < 0 ||
        CPU_COUNT(&c->theirs) < 2 || !CPU_ISSET(cpu, &c->theirs))
        return;
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof(one), &one) < 0)
        return;
    c->tid = tid;
    c->bound_ns = lc_clock_ns();
    if (sched_setaffinity(tid, sizeof(one), &one) < 0)
        lc_company_release(c);
}

void lc_company_note_stop(struct lc_company *c, pid_t tid)
{
    if (!c->is_on)
        return;
    c->in_a_row = tid == c->last ? c->in_a_row + 1 : 1;
    c->last = tid;
    if (c->tid == tid) {
        if (lc_clock_ns() - c->bound_ns > RELEASE_NS) {
            lc_company_release(c);
            c->in_a_row = 0;
        }
    } else if (c->in_a_row >= STOPS_IN_A_ROW) {
        lc_company_release(c);
        bind_to_our_cpu(c, tid);
    }
}

void lc_company_note_birth(struct lc_company *c, pid_t parent, pid_t child)
{
    if (c->tid && c->tid == parent)
        sched_setaffinity(child, sizeof(c->theirs), &c->theirs);
}

void lc_company_note_end(struct lc_company *c, pid_t tid)
{
    if (c->tid == tid)
        lc_company_release(c);
}

void lc_company_note_new_id(struct lc_company *c, pid_t former, pid_t tid)
{
    if (c->tid == former)
        c->tid = tid;
}

void lc_company_mend_answer(struct lc_company *c, pid_t caller, pid_t target, uint64_t mask,
                            long result)
{
    if (!c->tid || c->tid != (target ? target : caller) || result <= 0)
        return;
    size_t size = (size_t)result < sizeof(c->theirs) ? (size_t)result : sizeof(c->theirs);
    struct iovec local = {&c->theirs, size};
    struct iovec remote = {(void *)(uintptr_t)mask, size};
    process_vm_writev(caller, &local, 1, &remote, 1, 0);
}

void lc_company_note_set(struct lc_company *c, pid_t caller, pid_t target)
{
    if (c->tid && c->tid == (target ? target : caller)) {
        lc_company_release(c);
        c->is_on = false;
    }
}
