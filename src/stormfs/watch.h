/* SPDX-License-Identifier: MIT */
/* watch.h - has a process ended? */
#ifndef LC_STORMFS_WATCH_H
#define LC_STORMFS_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

/* A descriptor that becomes readable when the process ends; -1 with errno: ESRCH if there is no
 * such process, ENOSYS before Linux 5.3. */
int lc_watch_open(pid_t pid);

/* For those without descriptors: is it there? */
bool lc_watch_is_there(pid_t pid);

#endif
