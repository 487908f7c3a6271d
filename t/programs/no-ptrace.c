/* SPDX-License-Identifier: MIT */
/* no-ptrace.c - no-ptrace CMD...: run CMD where ptrace is forbidden, as in many containers */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "refuse_call.h"

/* A sanitized program looks for its memory leaks by ptrace, and fails where it cannot. */
static void forgo_leak_check(void)
{
    const char *before = getenv("ASAN_OPTIONS");
    char text[4096];

    if (before && snprintf(text, sizeof(text), "%s:detect_leaks=0", before) < (int)sizeof(text))
        setenv("ASAN_OPTIONS", text, 1);
}

int main(int argc, char **argv)
{
    forgo_leak_check();
    return run_without_call(SYS_ptrace, EPERM, argc, argv);
}
