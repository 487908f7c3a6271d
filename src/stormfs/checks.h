/* SPDX-License-Identifier: MIT */
/* checks.h - can this be mounted there? Everything that can be said before mounting */
#ifndef LC_STORMFS_CHECKS_H
#define LC_STORMFS_CHECKS_H

#include <stddef.h>

#include "util/error.h"

/* The canonical path of the source and a descriptor of it, or -1 with err filled. */
int lc_check_source(const char *path, char *out, size_t size, struct lc_error *err);

/* The canonical path of a mount point: an empty directory outside the source, not mounted on. The
 * dead mount of a crashed stormfs is cleared. 0, or -1 with err filled. */
int lc_check_mount_point(const char *path, const char *source, char *out, size_t size,
                         struct lc_error *err);

/* Is there a FUSE device, and a way to mount for those who are not root? */
int lc_check_fuse(struct lc_error *err);

#endif
