/* SPDX-License-Identifier: MIT */
/* libc.h - the little we take from the program's C library: weak and without versions, so that the
 * object loads everywhere */
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

/* A system call's result the C library's way. */
static inline long lc_return(long result)
{
    if (result >= 0 || result < -4095)
        return result;
    lc_set_errno((int)-result);
    return -1;
}

#endif
