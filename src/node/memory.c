/* SPDX-License-Identifier: MIT */
/* memory.c - memset and memcpy, which compilers call for large structures. Freestanding; hidden, so
 * that only the object they are linked into uses them. */
#include <stddef.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN void *memset(void *to, int byte, size_t len);
HIDDEN void *memcpy(void *restrict to, const void *restrict from, size_t len);

void *memset(void *to, int byte, size_t len)
{
    for (volatile unsigned char *p = to; len > 0; len--)
        *p++ = (unsigned char)byte;
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
    volatile unsigned char *p = to;

    for (const unsigned char *q = from; len > 0; len--)
        *p++ = *q++;
    return to;
}
