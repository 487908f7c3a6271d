/* SPDX-License-Identifier: MIT */
/* company.h - keep the tracer and the thread it serves most on one CPU
 *
 * A traced call costs four switches between two processes. On one CPU that is a few microseconds;
 * across two, where the other one has gone to sleep, ten times as much and the whole cost of
 * tracing. The scheduler always picks the sleeping one. So while one thread makes call after call,
 * it and the tracer are bound to one CPU; they never run at the same time anyway. The thread is
 * released when another one takes its place, now and then so that the scheduler can move it, and
 * before anybody could notice: a thread it starts gets the true set, sched_getaffinity() answers
 * with the true set, and its own sched_setaffinity() ends the arrangement for good.
 */
#ifndef LC_TRACE_COMPANY_H
#define LC_TRACE_COMPANY_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct lc_company {
    bool is_on;
    pid_t tid;              /* bound now; 0: nobody */
    cpu_set_t ours, theirs; /* as they were before */
    uint64_t bound_ns;
    pid_t last; /* who stopped last, and how often in a row */
    unsigned in_a_row;
};

void lc_company_begin(struct lc_company *c);
void lc_company_note_stop(struct lc_company *c, pid_t tid);
void lc_company_note_birth(struct lc_company *c, pid_t parent, pid_t child);
void lc_company_note_end(struct lc_company *c, pid_t tid);
void lc_company_note_new_id(struct lc_company *c, pid_t former, pid_t tid);
void lc_company_release(struct lc_company *c);

/* A thread asks for (has asked, result being what it got) or sets the CPUs of 'target' (0: its
 * own). Arguments as in the system calls. */
void lc_company_mend_answer(struct lc_company *c, pid_t caller, pid_t target, uint64_t mask,
                            long result);
void lc_company_note_set(struct lc_company *c, pid_t caller, pid_t target);

#endif
