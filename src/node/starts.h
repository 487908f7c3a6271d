/* SPDX-License-Identifier: MIT */
/* starts.h - a process notes in 'live' that it runs, when it last loaded something, and in which
 * part of the client it is. Freestanding.
 *
 * Whoever looks at the node directory afterwards (stage/deaths.h) can tell by it which processes
 * died while they still loaded, and where. A process takes its row when it attaches and frees it
 * when it ends by itself. Apart from one getpid() at each of these two moments, notes are stores to
 * shared memory. */
#ifndef LC_NODE_STARTS_H
#define LC_NODE_STARTS_H

#include "node/attach.h"

/* In which part of the client a process is: struct lc_live_start.part. */
enum lc_start_part {
    LC_PART_NONE, /* in none: the program's own code, or that of libraries */
    LC_PART_BINDINGS,
    LC_PART_PYTHON,
    LC_PART_AUDIT,
    LC_PART_PRELOAD,
    LC_START_PARTS,
};

/* A clock that is read without a system call; its rate is that of lc_live.clock_ticks against
 * clock_ns. 0 where there is none. */
static inline uint64_t lc_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t now;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
    return now;
#else
    return 0;
#endif
}

/* Take a row for this process: node->start. A program that this process executes takes the same
 * one. */
void lc_start_begin(struct lc_node *node);
/* Free it, unless this is a child of fork or vfork: the row is its parent's. */
void lc_start_end(const struct lc_node *node);

/* Libraries or a module are loaded now. */
static inline void lc_start_note_load(const struct lc_node *node)
{
    if (node->start)
        __atomic_store_n(&node->start->loaded_ticks, lc_ticks(), __ATOMIC_RELAXED);
}

/* Enter a part, and leave it for the one that was returned. */
static inline uint32_t lc_part_enter(const struct lc_node *node, enum lc_start_part part)
{
    if (!node->start)
        return LC_PART_NONE;
    uint32_t before = node->start->part;
    __atomic_store_n(&node->start->part, (uint32_t)part, __ATOMIC_RELAXED);
    return before;
}

static inline void lc_part_leave(const struct lc_node *node, uint32_t before)
{
    if (node->start)
        __atomic_store_n(&node->start->part, before, __ATOMIC_RELAXED);
}

#endif
