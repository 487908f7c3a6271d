/* SPDX-License-Identifier: MIT */
/* cpu_pairing.h - keep the tracer and the thread with most calls on one CPU
 *
 * A traced call costs four switches between two processes. On one CPU that takes a few
 * microseconds; across two CPUs, where the second has to be woken, ten times as much, which is most
 * of the cost of tracing. The scheduler always chooses the idle CPU. So while one thread makes call
 * after call, it and the tracer are bound to one CPU; they never run at the same time anyway. The
 * thread is released when another one makes most calls, at the latest after a quarter of a second,
 * and always before the binding could be noticed: when any thread reads or sets a CPU set, when it
 * starts another thread or process (which gets the original set), and before a new program is
 * executed. Once a program sets CPUs itself, pairing ends for good. */
#ifndef LC_TRACE_CPU_PAIRING_H
#define LC_TRACE_CPU_PAIRING_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct lc_cpu_pairing {
    bool is_on;
    pid_t tid;                   /* the thread that is bound; 0: none */
    cpu_set_t ours, theirs, one; /* the original sets of tracer and thread; the set while bound */
    uint64_t bound_ns;
    pid_t last; /* the thread that stopped last, and how often in a row */
    unsigned in_a_row;
};

void lc_cpu_pairing_begin(struct lc_cpu_pairing *c);
void lc_cpu_pairing_end(struct lc_cpu_pairing *c); /* release, for good */
void lc_cpu_pairing_release(struct lc_cpu_pairing *c);
void lc_cpu_pairing_note_stop(struct lc_cpu_pairing *c, pid_t tid);
void lc_cpu_pairing_note_tick(
    struct lc_cpu_pairing *c); /* releases a thread that was bound for too long */

/* A thread was created and is stopped: give it its parent's original CPU set. */
void lc_cpu_pairing_note_birth(struct lc_cpu_pairing *c, pid_t parent, pid_t child);

#endif
