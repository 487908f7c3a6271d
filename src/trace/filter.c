/* SPDX-License-Identifier: MIT */
/* filter.c - a seccomp filter that stops a traced process at file-system calls only */
#include "trace/filter.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/calls.h"
#include "trace/machine.h"

#define STMT(code, k)          (struct sock_filter) BPF_STMT(code, k)
#define JUMP(code, k, yes, no) (struct sock_filter) BPF_JUMP(code, k, yes, no)
#define LOAD(field)            STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_EQUAL(k, yes, no)   JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, yes, no)

enum { MOST = LC_CALLS_MOST + 16 };

/* Another architecture: allow. A call of the table: trace. mmap: trace if it has a file. All else:
 * allow. Jumps go forward only and at most 255 far, which the table stays below. */
static size_t assemble(struct sock_filter *f)
{
    size_t count, n = 0;
    const struct lc_call *call = lc_call_table(&count);
    const size_t allow = 4 + count, mmap_check = allow + 1, trace = allow + 4;

#define TO(label) (unsigned char)((label)-n - 1)
    f[n++] = LOAD(arch);
    f[n] = IF_EQUAL(LC_NATIVE_ARCH, 0, TO(allow)), n++;
    f[n++] = LOAD(nr);
    f[n] = IF_EQUAL(SYS_mmap, TO(mmap_check), 0), n++;
    for (size_t i = 0; i < count; i++, n++)
        f[n] = IF_EQUAL((unsigned)call[i].number, TO(trace), 0);
    f[n++] = STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    f[n++] = LOAD(args[3]); /* the low half: both our machines are little-endian */
    f[n] = JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, TO(trace - 1), TO(trace)), n++;
    f[n++] = STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    f[n++] = STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
#undef TO
    return n;
}

int lc_filter_install(void)
{
    struct sock_filter code[MOST];
    struct sock_fprog program = {.len = (unsigned short)assemble(code), .filter = code};

    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
        return 0;
    if (errno != EACCES || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
