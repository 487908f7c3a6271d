/* SPDX-License-Identifier: MIT */
/* dlerror.h - what went wrong with a library is told of the path the program gave */
#ifndef LC_PRELOAD_DLERROR_H
#define LC_PRELOAD_DLERROR_H

/* The C library's own dlerror, whatever stands between it and us, with the program's names. */
char *lc_dlerror_of_libc(void);

#endif
