/* SPDX-License-Identifier: MIT */
/* users.h - the processes and jobs that use a node directory
 *
 * No descriptor stays open in the user's process, so each process leaves a file in NODE/users:
 *   p.PID.START.NAMESPACE   a process, by the time it started (clock ticks since boot) and the pid
 *                           namespace in which it has that number
 *   j.NAME                  a job of a scheduler ("j.slurm-4711"): it may start further steps
 *   t.PID.START.NAMESPACE   the janitor: the directory goes when its last process has ended, and
 *                           that process sees to it (stage/stager/janitor.c)
 * If it cannot be told whether a process is alive, it counts as alive. */
#ifndef LC_STAGE_USERS_H
#define LC_STAGE_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct lc_users {
    size_t processes;  /* alive, or perhaps alive */
    pid_t one;         /* one of them */
    size_t jobs;       /* other than this one's */
    char job[64];      /* one of them */
    double idle_s;     /* since somebody registered */
    bool is_transient; /* it was staged for one launch line: nobody wants it after its processes */
};

/* Is there such a process? One that waits for its parent after its end is none. */
bool lc_users_is_alive(pid_t pid);

/* This process's job: "slurm-4711", "pbs-12.server", ...; "" outside any scheduler. */
void lc_users_job(char *out, size_t size);

/* Register this process, and its job, in the open node directory. 0, or -1 with errno. */
int lc_users_register(int node_fd);

/* Count the users, and remove the files of dead processes. 'path' is that of the directory:
 * processes of this user that have mapped a file from it count, too, registered or not. To find
 * them, all processes of the node are looked at; with path NULL only those that have registered. */
struct lc_users lc_users_count(int node_fd, const char *path);

/* Remove this process from the users: what it has staged may go. */
void lc_users_leave(int node_fd);

/* This process becomes the janitor. 0, or -1 with errno. */
int lc_users_set_janitor(int node_fd);
/* Is this process still the janitor? Not if the directory was removed and staged again, or if
 * another process has become its janitor since. */
bool lc_users_is_janitor(int node_fd);
/* Is there a janitor, and is it alive? */
bool lc_users_has_janitor(int node_fd);

/* Remove this process's job: it will start no further steps. */
void lc_users_end_job(int node_fd);

/* Remove other jobs for which 'is_over' returns true. How many. */
unsigned lc_users_end_others(int node_fd, bool (*is_over)(const char *job));

#endif
