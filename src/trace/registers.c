/* SPDX-License-Identifier: MIT */
/* registers.c - read the number, arguments and result of the system call a thread is stopped at */
#include "trace/registers.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "trace/register_layout.h"

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
        .is_native = info.arch == LC_REGISTERS_HERE.arch,
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

void lc_registers_decode(const struct lc_register_layout *layout, const uint64_t *word,
                         size_t count, bool at_exit, struct lc_registers *out)
{
    *out = (struct lc_registers){.is_native = count == layout->words, .at_exit = at_exit};
    if (!out->is_native)
        return;
    out->is_native = layout->mode < 0 || word[layout->mode] == layout->value;
    out->number = (long)word[layout->number];
    out->result = (long)word[layout->result];
    for (int i = 0; i < 6; i++)
        out->args[i] = word[layout->args[i]];
}

int lc_registers_read_raw(pid_t tid, bool at_exit, struct lc_registers *out)
{
    uint64_t word[LC_REGISTER_WORDS];
    struct iovec io = {word, sizeof(word)};

    if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &io) < 0)
        return -1;
    lc_registers_decode(&LC_REGISTERS_HERE, word, io.iov_len / sizeof(*word), at_exit, out);
    return 0;
}

int lc_registers_read(pid_t tid, bool at_exit, struct lc_registers *out)
{
    if (syscall_info_read(tid, out) == 0)
        return 0;
    return errno == ESRCH ? -1 : lc_registers_read_raw(tid, at_exit, out);
}
