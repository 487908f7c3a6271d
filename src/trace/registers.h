/* SPDX-License-Identifier: MIT */
/* registers.h - read the number, arguments and result of the system call a thread is stopped at */
#ifndef LC_TRACE_REGISTERS_H
#define LC_TRACE_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Registers are named in register_layout.h. */
struct lc_register_layout;

struct lc_registers {
    bool is_native; /* false: a program of another word size or architecture */
    bool at_exit;   /* the stop is at the end of a call; only valid if has_side */
    bool has_side;
    long number;
    uint64_t args[6]; /* at entry */
    long result;      /* at exit; -errno for failure */
};

/* Uses PTRACE_GET_SYSCALL_INFO (Linux 5.3), or the processor's registers on older kernels.
 * 'at_exit' is what the caller expects; it is used where the kernel does not tell. 0, or -1 with
 * errno (ESRCH: the thread has ended). */
int lc_registers_read(pid_t tid, bool at_exit, struct lc_registers *out);

/* What 'count' words that PTRACE_GETREGSET read say. */
void lc_registers_decode(const struct lc_register_layout *layout, const uint64_t *word,
                         size_t count, bool at_exit, struct lc_registers *out);

/* Uses the registers only, as on kernels before 5.3. */
int lc_registers_read_raw(pid_t tid, bool at_exit, struct lc_registers *out);

#endif
