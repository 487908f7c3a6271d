/* SPDX-License-Identifier: MIT */
/* entry_point.c - the first instructions of a static program without a C library, and the functions
 * that compilers expect to exist */
#include <stddef.h>

#include "image/bytes.h"
#include "node/arch.h"

void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);
void *memmove(void *to, const void *from, size_t n);
int memcmp(const void *a, const void *b, size_t n);

__asm__(LC_ARCH_ENTRY_TEXT);

void *memcpy(void *to, const void *from, size_t n)
{
    return memmove(to, from, n);
}

void *memmove(void *to, const void *from, size_t n)
{
    lc_bytes_move(to, from, n);
    return to;
}

void *memset(void *to, int c, size_t n)
{
    char *t = to;

    for (size_t i = 0; i < n; i++)
        t[i] = (char)c;
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;

    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}
