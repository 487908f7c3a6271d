/* SPDX-License-Identifier: MIT */
/* beneath.h - open what lies below a directory, and nothing else */
#ifndef LC_UTIL_BENEATH_H
#define LC_UTIL_BENEATH_H

#include <sys/types.h>

/* As openat, for a relative path: fails (ELOOP, ENOTDIR or EXDEV) where a component is a symbolic
 * link or leads upwards, also if somebody puts one there meanwhile. A descriptor (close-on-exec),
 * or -1 with errno. */
int lc_open_beneath(int dir, const char *path, int flags, mode_t mode);

#endif
