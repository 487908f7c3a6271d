/* SPDX-License-Identifier: MIT */
/* no-openat2.c - no-openat2 CMD...: run CMD as if the kernel had no openat2 (before Linux 5.6) */
#include <errno.h>

#include "refuse_call.h"
#include "util/syscalls.h"

int main(int argc, char **argv)
{
    return run_without_call(SYS_openat2, ENOSYS, argc, argv);
}
