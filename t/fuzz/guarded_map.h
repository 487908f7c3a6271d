/* SPDX-License-Identifier: MIT */
/* guarded_map.h - the client's code in a program of its own: what it maps is copied to memory of
 * exactly that size, so that a sanitizer (or, without one, a page that cannot be read) catches each
 * access beyond its end. Given to the compiler by -include, before the client's sources. */
#ifndef LC_GUARDED_MAP_H
#define LC_GUARDED_MAP_H

#include "node/syscall.h"

void *guarded_map(size_t size, int protection, int flags, int fd);
void guarded_unmap(void *at, size_t size);
#define lc_sys_mmap   guarded_map
#define lc_sys_munmap guarded_unmap

#endif
