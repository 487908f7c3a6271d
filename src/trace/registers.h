/* SPDX-License-Identifier: MIT */
/* registers.h - read the number, arguments and result of the system call a thread is stopped at */
#ifndef LC_TRACE_REGISTERS_H
#define LC_TRACE_REGISTERS_H

#include <linux/audit.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The kernel's number for the architecture we are built for. */
#if defined(__x86_64__)
#define LC_NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define LC_NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "trace: add this machine's AUDIT_ARCH value"
#endif

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

/* Uses the registers only, as on kernels before 5.3. */
int lc_registers_read_raw(pid_t tid, bool at_exit, struct lc_registers *out);

#endif
