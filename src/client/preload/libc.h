/* SPDX-License-Identifier: MIT */
/* libc.h - the few functions that we use of the program's C library: weak and unversioned, so that
 * our object loads with any C library */
#ifndef LC_PRELOAD_LIBC_H
#define LC_PRELOAD_LIBC_H

#include <stddef.h>

extern int *__errno_location(void) __attribute__((weak));
extern void *malloc(size_t) __attribute__((weak));
extern void *realloc(void *, size_t) __attribute__((weak));
extern void free(void *) __attribute__((weak));
extern void qsort(void *, size_t, size_t, int (*)(const void *, const void *))
    __attribute__((weak));

static inline void lc_set_errno(int code)
{
    if (__errno_location)
        *__errno_location() = code;
}

static inline int lc_get_errno(void)
{
    return __errno_location ? *__errno_location() : 0;
}

/* Turn a system call's result into the C library's: -1 with errno set if it is a negative errno. */
static inline long lc_return(long result)
{
    if (result >= 0 || result < -4095)
        return result;
    lc_set_errno((int)-result);
    return -1;
}

#endif
