/* SPDX-License-Identifier: MIT */
/* refuse_call.h - for programs that run another where a system call is refused */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

/* From now on the system call fails with this error, here and in children. 0, or -1 with errno. */
static inline int refuse_call(unsigned number, unsigned error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0
               ? -1
               : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* The rest of main(): run the program that the arguments name. Exit status 77: it cannot be refused
 * here. */
static inline int run_without_call(unsigned number, unsigned error, int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (refuse_call(number, error) < 0) {
        perror(argv[0]);
        return 77;
    }
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
