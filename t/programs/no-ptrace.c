/* SPDX-License-Identifier: MIT */
/* no-ptrace.c - no-ptrace CMD...: run CMD where ptrace is forbidden, as in many containers */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

    if (argc < 2)
        return 2;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
        perror("no-ptrace");
        return 77;
    }
    forgo_leak_check();
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
