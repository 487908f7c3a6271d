/* SPDX-License-Identifier: MIT */
/* detached.h - a process that runs on beside the one that started it, unseen by it
 *
 * It is the child of a child that ends at once, so that a program which this process becomes later
 * does not find it among its children; its end sends no signal. It is in a session of its own,
 * holds none of the descriptors, and does not get the signals that are meant for the others. It
 * stays in the same cgroup. */
#ifndef LC_UTIL_DETACHED_H
#define LC_UTIL_DETACHED_H

#include <stdbool.h>
#include <sys/types.h>

/* Does this process adopt orphans? Then the detached one would become its child. */
bool lc_detached_would_be_child(void);

/* As fork(), but the end of the child sends no signal: a program that blocks SIGCHLD would find
 * one. waitpid() needs __WALL. */
pid_t lc_detached_fork(void);

/* In the new process: leave everything behind but the descriptor 'keep' (-1: none). */
void lc_detached_leave(const char *name, int keep);

/* All of it: 0 in the new process, 1 in the caller, -1 if there is none. */
int lc_detached_start(const char *name, int keep);

/* The same, twice as fast, for a caller whose parent waits for nobody else: the new process is that
 * one's child until it ends. */
int lc_detached_start_beside(const char *name, int keep);

#endif
