/* SPDX-License-Identifier: MIT */
/* users.h - who uses a node directory?
 *
 * No descriptor stays open in the user's process, so each user leaves a name in NODE/users:
 *   p.PID.START.NAMESPACE   a process, by the time it started (clock ticks since boot) and the pid
 *                           namespace in which it has that number
 *   j.NAME                  a job of a scheduler ("j.slurm-4711"): it may start further steps
 * A process whose state cannot be told counts as alive. */
#ifndef LC_STAGE_USERS_H
#define LC_STAGE_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct lc_users {
    size_t processes; /* alive, or perhaps alive */
    pid_t one;        /* one of them */
    size_t jobs;      /* other than this one's */
    char job[64];     /* one of them */
    double idle_s;    /* since somebody registered */
};

/* This process's job: "slurm-4711", "pbs-12.server", ...; "" outside any scheduler. */
void lc_users_job(char *out, size_t size);

/* Register this process, and its job, in the open node directory. 0, or -1 with errno. */
int lc_users_register(int node_fd);

/* Count users; names of dead processes are removed on the way. 'path' is the directory's: processes
 * of this user that have something from it mapped count too, registered or not. */
struct lc_users lc_users_count(int node_fd, const char *path);

/* Forget this process's job: it will start no further steps. */
void lc_users_end_job(int node_fd);

/* Forget other jobs of which 'is_over' says so. How many there were. */
unsigned lc_users_end_others(int node_fd, bool (*is_over)(const char *job));

#endif
