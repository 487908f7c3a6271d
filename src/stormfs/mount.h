/* SPDX-License-Identifier: MIT */
/* mount.h - one mount point: session with the kernel, worker threads, unmounting */
#ifndef LC_STORMFS_MOUNT_H
#define LC_STORMFS_MOUNT_H

#include "util/error.h"

struct lc_storm_mount;

/* Mounts; the caller has set mount->path, index and storm. Processes that access the mount wait
 * until lc_mount_serve. Call it before any thread is started, since libfuse forks here. 0, or -1
 * with err filled and nothing mounted. */
int lc_mount_start(struct lc_storm_mount *mount, struct lc_error *err);

/* Starts to answer requests. When the mount is ready, is_ready is set and event_fd is written. 0,
 * or -1 with err filled. */
int lc_mount_serve(struct lc_storm_mount *mount, struct lc_error *err);

/* Unmounts lazily, even if the mount is in use. The worker threads run until the process ends,
 * which closes the connection to the kernel: requests that still wait then fail. */
void lc_mount_stop(struct lc_storm_mount *mount);

/* Unmount lazily what is on 'path', as root or through fusermount3. 0 or -1. */
int lc_mount_detach(const char *path);

#endif
