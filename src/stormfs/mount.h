/* SPDX-License-Identifier: MIT */
/* mount.h - one mount point: session with the kernel, worker threads, unmounting */
#ifndef LC_STORMFS_MOUNT_H
#define LC_STORMFS_MOUNT_H

#include "util/error.h"

struct lc_storm_mount;

/* Mount; mount->path, index and storm are set. Whoever uses it waits until it is served. To be
 * called before there are threads: libfuse forks here, and goes on as if it were alone. 0, or -1
 * with err filled and nothing mounted. */
int lc_mount_start(struct lc_storm_mount *mount, struct lc_error *err);

/* Serve it. It is ready when is_ready is set, which event_fd tells. 0, or -1 with err filled. */
int lc_mount_serve(struct lc_storm_mount *mount, struct lc_error *err);

/* Detach it from the tree, whoever uses it. Its threads go on until the process ends, which cuts
 * the connection: whoever waits for an answer then gets an error. */
void lc_mount_stop(struct lc_storm_mount *mount);

/* Unmount lazily what is on 'path', as root or through fusermount3. 0 or -1. */
int lc_mount_detach(const char *path);

#endif
