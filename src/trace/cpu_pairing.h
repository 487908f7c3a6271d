/* SPDX-License-Identifier: MIT */
/* cpu_pairing.h - keep the tracer and the thread it serves most on one CPU
 *
 * A traced call costs four switches between two processes. On one CPU that is a few microseconds;
 * across two, where the other one has gone to sleep, ten times as much and the whole cost of
 * tracing. The scheduler always picks the sleeping one. So while one thread makes call after call,
 * it and the tracer are bound to one CPU; they never run at the same time anyway. The thread is
 * released when another one takes its place, at the latest after a quarter of a second, and before
 * anybody could notice: when any thread asks for or sets a CPU set, when it starts another thread
 * or process (which gets the true set), and before a new program. Once a program sets CPUs itself,
 * the arrangement ends for good.
 */
#ifndef LC_TRACE_CPU_PAIRING_H
#define LC_TRACE_CPU_PAIRING_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct lc_cpu_pairing {
    bool is_on;
    pid_t tid;                   /* bound now; 0: nobody */
    cpu_set_t ours, theirs, one; /* before; before; while bound */
    uint64_t bound_ns;
    pid_t last; /* who stopped last, and how often in a row */
    unsigned in_a_row;
};

void lc_cpu_pairing_begin(struct lc_cpu_pairing *c);
void lc_cpu_pairing_end(struct lc_cpu_pairing *c); /* release, for good */
void lc_cpu_pairing_release(struct lc_cpu_pairing *c);
void lc_cpu_pairing_note_stop(struct lc_cpu_pairing *c, pid_t tid);
void lc_cpu_pairing_note_tick(struct lc_cpu_pairing *c); /* releases who was bound long enough */

/* A thread was born, and stands still: give it its parent's true set, which it would have. */
void lc_cpu_pairing_note_birth(struct lc_cpu_pairing *c, pid_t parent, pid_t child);

#endif
