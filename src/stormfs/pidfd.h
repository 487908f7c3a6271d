/* SPDX-License-Identifier: MIT */
/* pidfd.h - learn when another process ends */
#ifndef LC_STORMFS_PIDFD_H
#define LC_STORMFS_PIDFD_H

#include <stdbool.h>
#include <sys/types.h>

/* A descriptor that becomes readable when the process ends; -1 with errno: ESRCH if there is no
 * such process, ENOSYS before Linux 5.3. */
int lc_pidfd_open(pid_t pid);

/* Does the process exist? For polling on kernels without pidfd_open. */
bool lc_process_exists(pid_t pid);

#endif
