/* SPDX-License-Identifier: MIT */
/* dummy.c - bench-dummy, the program of the case DUMMY: what it takes is what measuring takes
 *
 * Freestanding: a C library's own start (0.3 ms where a hypervisor answers CPUID) is the program's,
 * not ours, and would hide what measuring adds. It marks as loadcast-mark.h does. */
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

static char *add_text(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    return to;
}

static char *add_number(char *to, uint64_t n)
{
    if (n >= 10)
        to = add_number(to, n / 10);
    *to = (char)('0' + n % 10);
    return to + 1;
}

static void mark(const char *name)
{
    struct timespec now = {0};
    char line[80], *end = add_text(add_text(line, "LOADCAST_MARK="), name);

    LC_SYS3(__NR_clock_gettime, CLOCK_MONOTONIC, &now, 0);
    end = add_number(add_text(end, " "), (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
    *end++ = '\n';
    lc_sys_write(1, line, (size_t)(end - line));
}

void lc_dummy_start(void)
{
    mark("start");
    mark("import");
    mark("visit");
    for (;;)
        LC_SYS3(__NR_exit_group, 0, 0, 0);
}
