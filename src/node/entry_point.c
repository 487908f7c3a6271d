/* SPDX-License-Identifier: MIT */
/* entry_point.c - the first instructions of a static program without a C library, and the functions
 * that compilers expect to exist */
#include <stddef.h>

#include "image/bytes.h"

void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);
void *memmove(void *to, const void *from, size_t n);
int memcmp(const void *a, const void *b, size_t n);

#if defined(__x86_64__)
__asm__(".text\n.globl _start\n.type _start,@function\n_start:\n"
        "xor %ebp, %ebp\nmov %rsp, %rdi\nand $-16, %rsp\ncall lc_entry_point\nhlt\n");
#elif defined(__aarch64__)
__asm__(".text\n.globl _start\n.type _start,%function\n_start:\n"
        "mov x29, #0\nmov x30, #0\nmov x0, sp\nand sp, x0, #-16\nbl lc_entry_point\nbrk #1\n");
#else
#error "launch: add this machine's entry"
#endif

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
