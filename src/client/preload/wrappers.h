/* SPDX-License-Identifier: MIT */
/* wrappers.h - wrapped functions that another wrapper calls too */
#ifndef LC_PRELOAD_WRAPPERS_H
#define LC_PRELOAD_WRAPPERS_H

#include <stdbool.h>

/* by_descriptor.c: as utimensat(fd, NULL, times, flags). */
int lc_set_times_of(int fd, const void *times, int flags);

/* stat.c: statx, which syscall() calls for programs that use its number. */
struct statx;
int lc_statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *sx);

/* xattr.c: read the attribute 'name' of a path, or list all names (NULL). True: answered by the
 * image; *result is what the call returns, and errno is set on failure. */
bool lc_xattr_answer(const char *path, const char *name, bool follow, long *result);

#endif
