/* SPDX-License-Identifier: MIT */
/* beneath.h - open a path below a directory, without following links out of it */
#ifndef LC_UTIL_BENEATH_H
#define LC_UTIL_BENEATH_H

#include <sys/types.h>

/* As openat, for a relative path. Fails (ELOOP, ENOTDIR or EXDEV) if a component is a symbolic link
 * or "..", even if it is put there during the call. A descriptor (close-on-exec), or -1 with errno.
 */
int lc_open_beneath(int dir, const char *path, int flags, mode_t mode);

#endif
