/* SPDX-License-Identifier: MIT */
/* registers.c - read the number, arguments and result of the system call a thread is stopped at */
#include "trace/registers.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

/* PTRACE_GET_SYSCALL_INFO as the kernel defines it; older C libraries lack it. */
enum { GET_SYSCALL_INFO = 0x420e, INFO_ENTRY = 1, INFO_EXIT = 2, INFO_SECCOMP = 3 };
struct syscall_info {
    uint8_t op;
    uint8_t pad[3];
    uint32_t arch;
    uint64_t instruction_pointer;
    uint64_t stack_pointer;
    union {
        struct {
            uint64_t nr;
            uint64_t args[6];
            uint32_t ret_data;
        } entry;
        struct {
            int64_t rval;
            uint8_t is_error;
        } exit;
    };
};

static int syscall_info_read(pid_t tid, struct lc_registers *out)
{
    struct syscall_info info;

    if (ptrace((enum __ptrace_request)GET_SYSCALL_INFO, tid, sizeof(info), &info) < 0)
        return -1;
    *out = (struct lc_registers){
        .is_native = info.arch == LC_NATIVE_ARCH,
        .has_side = info.op != 0,
        .at_exit = info.op == INFO_EXIT,
    };
    if (info.op == INFO_EXIT) {
        out->result = info.exit.rval;
    } else if (info.op) {
        out->number = (long)info.entry.nr;
        memcpy(out->args, info.entry.args, sizeof(out->args));
    }
    return 0;
}

int lc_registers_read_raw(pid_t tid, bool at_exit, struct lc_registers *out)
{
    struct user_regs_struct r;
    struct iovec io = {&r, sizeof(r)};

    if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &io) < 0)
        return -1;
    *out = (struct lc_registers){.is_native = io.iov_len == sizeof(r), .at_exit = at_exit};
#if defined(__x86_64__)
    enum { CS_64_BIT = 0x33 };
    out->is_native = out->is_native && r.cs == CS_64_BIT;
    out->number = (long)r.orig_rax;
    out->result = (long)r.rax;
    memcpy(out->args, (uint64_t[]){r.rdi, r.rsi, r.rdx, r.r10, r.r8, r.r9}, sizeof(out->args));
#elif defined(__aarch64__)
    out->number = (long)r.regs[8];
    out->result = (long)r.regs[0];
    memcpy(out->args, r.regs, sizeof(out->args));
#endif
    return 0;
}

int lc_registers_read(pid_t tid, bool at_exit, struct lc_registers *out)
{
    if (syscall_info_read(tid, out) == 0)
        return 0;
    return errno == ESRCH ? -1 : lc_registers_read_raw(tid, at_exit, out);
}
