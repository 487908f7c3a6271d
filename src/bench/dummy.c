/* SPDX-License-Identifier: MIT */
/* dummy.c - bench-dummy, the program of the case DUMMY: it does nothing, so its time is the
 * overhead of the measurement
 *
 * Freestanding: the start of a C library (0.3 ms on virtual machines that trap CPUID) would hide
 * that overhead. It prints marks in the format of loadcast-mark.h. */
#include <time.h>

#include "node/syscall.h"

#if defined(__x86_64__)
__asm__(".text\n.globl _start\n.type _start,@function\n_start:\n"
        "xor %ebp, %ebp\nand $-16, %rsp\ncall lc_dummy_start\nhlt\n");
#else
__asm__(".text\n.globl _start\n.type _start,%function\n_start:\n"
        "mov x29, #0\nmov x30, #0\nbl lc_dummy_start\nbrk #1\n");
#endif

_Noreturn void lc_dummy_start(void);

static char *text_add(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    return to;
}

static char *number_add(char *to, uint64_t n)
{
    if (n >= 10)
        to = number_add(to, n / 10);
    *to = (char)('0' + n % 10);
    return to + 1;
}

static void mark_print(const char *name)
{
    struct timespec now = {0};
    char line[80], *end = text_add(text_add(line, "LOADCAST_MARK="), name);

    LC_SYS3(__NR_clock_gettime, CLOCK_MONOTONIC, &now, 0);
    end = number_add(text_add(end, " "), (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
    *end++ = '\n';
    lc_sys_write(1, line, (size_t)(end - line));
}

void lc_dummy_start(void)
{
    mark_print("start");
    mark_print("import");
    mark_print("visit");
    for (;;)
        LC_SYS3(__NR_exit_group, 0, 0, 0);
}
