/* SPDX-License-Identifier: MIT */
/* statx.h - statx, also for programs that call it by its number */
#ifndef LC_PRELOAD_STATX_H
#define LC_PRELOAD_STATX_H

struct statx;
int lc_statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *sx);

#endif
