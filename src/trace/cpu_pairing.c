/* SPDX-License-Identifier: MIT */
/* cpu_pairing.c - keep the tracer and the thread it serves most on one CPU */
#include "trace/cpu_pairing.h"

#include <stddef.h>

#include "util/clock.h"

enum {
    STOPS_IN_A_ROW = 8,     /* consecutive stops before a thread is bound */
    RELEASE_NS = 250000000, /* longest time bound, so that the scheduler can choose another CPU */
};

void lc_cpu_pairing_begin(struct lc_cpu_pairing *c)
{
    *c = (struct lc_cpu_pairing){0};
    c->is_on = sched_getaffinity(0, sizeof(c->ours), &c->ours) == 0 && CPU_COUNT(&c->ours) > 1;
}

/* Restore the thread's CPU set, unless something else has changed it meanwhile. */
void lc_cpu_pairing_release(struct lc_cpu_pairing *c)
{
    cpu_set_t now;

    if (!c->tid)
        return;
    if (sched_getaffinity(c->tid, sizeof(now), &now) == 0 && CPU_EQUAL(&now, &c->one))
        sched_setaffinity(c->tid, sizeof(c->theirs), &c->theirs);
    sched_setaffinity(0, sizeof(c->ours), &c->ours);
    c->tid = 0;
    c->in_a_row = 0;
}

void lc_cpu_pairing_end(struct lc_cpu_pairing *c)
{
    lc_cpu_pairing_release(c);
    c->is_on = false;
}

static void bind_to_our_cpu(struct lc_cpu_pairing *c, pid_t tid)
{
    int cpu = sched_getcpu();

    CPU_ZERO(&c->one);
    if (cpu < 0 || sched_getaffinity(tid, sizeof(c->theirs), &c->theirs) < 0 ||
        CPU_COUNT(&c->theirs) < 2 || !CPU_ISSET(cpu, &c->theirs))
        return;
    CPU_SET(cpu, &c->one);
    if (sched_setaffinity(0, sizeof(c->one), &c->one) < 0)
        return;
    c->tid = tid;
    c->bound_ns = lc_clock_ns();
    if (sched_setaffinity(tid, sizeof(c->one), &c->one) < 0)
        lc_cpu_pairing_release(c);
}

void lc_cpu_pairing_note_stop(struct lc_cpu_pairing *c, pid_t tid)
{
    if (!c->is_on || c->tid == tid)
        return;
    c->in_a_row = tid == c->last ? c->in_a_row + 1 : 1;
    c->last = tid;
    if (c->in_a_row >= STOPS_IN_A_ROW) {
        lc_cpu_pairing_release(c);
        bind_to_our_cpu(c, tid);
    }
}

void lc_cpu_pairing_note_tick(struct lc_cpu_pairing *c)
{
    if (c->tid && lc_clock_ns() - c->bound_ns > RELEASE_NS)
        lc_cpu_pairing_release(c);
}

void lc_cpu_pairing_note_birth(struct lc_cpu_pairing *c, pid_t parent, pid_t child)
{
    cpu_set_t has, due;

    if (!c->is_on)
        return;
    if (c->tid == parent)
        lc_cpu_pairing_release(c);
    if (sched_getaffinity(parent, sizeof(due), &due) == 0 &&
        sched_getaffinity(child, sizeof(has), &has) == 0 && !CPU_EQUAL(&has, &due))
        sched_setaffinity(child, sizeof(due), &due);
}
