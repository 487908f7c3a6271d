/* SPDX-License-Identifier: MIT */
/* by_descriptor.h - attributes changed through a descriptor */
#ifndef LC_PRELOAD_BY_DESCRIPTOR_H
#define LC_PRELOAD_BY_DESCRIPTOR_H

/* As utimensat(fd, NULL, times, flags). */
int lc_set_times_of(int fd, const void *times, int flags);

#endif
