/* SPDX-License-Identifier: MIT */
/* checks.h - checks before mounting: the source, the mount point, FUSE itself */
#ifndef LC_STORMFS_CHECKS_H
#define LC_STORMFS_CHECKS_H

#include <stddef.h>

#include "util/error.h"

/* Writes the canonical path of the source directory to 'out'. Returns an O_PATH descriptor of it,
 * which the caller closes, or -1 with err filled. */
int lc_source_check(const char *path, char *out, size_t size, struct lc_error *err);

/* Writes the canonical path of the mount point to 'out'. It must be an empty directory outside the
 * source on which nothing is mounted; a mount that a crashed stormfs left there is unmounted first.
 * 0, or -1 with err filled. */
int lc_mount_point_check(const char *path, const char *source, char *out, size_t size,
                         struct lc_error *err);

/* Checks that /dev/fuse can be opened and, unless we are root, that fusermount3 is installed. 0, or
 * -1 with err filled. */
int lc_fuse_check(struct lc_error *err);

#endif
