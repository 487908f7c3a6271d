/* SPDX-License-Identifier: MIT */
/* registers.h - number, arguments and result of the call a stopped thread is at */
#ifndef LC_TRACE_REGISTERS_H
#define LC_TRACE_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct lc_registers {
    bool is_native; /* false: a program of another word size */
    bool at_exit; /* the stop is the end of a call; meaningful where the kernel tells (has_side) */
    bool has_side;
    long number;
    uint64_t args[6]; /* at entry */
    long result;      /* at exit; -errno for failure */
};

/* By PTRACE_GET_SYSCALL_INFO (Linux 5.3), else by the machine's registers. 'at_exit' is what the
 * caller expects and is used where the kernel does not tell. 0, or -1 with errno (ESRCH: gone). */
int lc_registers_read(pid_t tid, bool at_exit, struct lc_registers *out);

/* The second way alone, for kernels before 5.3. */
int lc_registers_read_raw(pid_t tid, bool at_exit, struct lc_registers *out);

#endif
