#!/bin/sh
# Under a filter that kills for every system call but a few, a program makes no call that it would not
# make plainly, and what it writes is seen by others.
. "$(dirname "$0")/../lib.sh"
need_compiler
need_ptrace

# strict HOW DIR: allows what follows and nothing else, by prctl or by syscall, and does it
cat >strict.c <<'P'
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
static struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    ALLOW(read), ALLOW(write), ALLOW(close), ALLOW(openat), ALLOW(newfstatat), ALLOW(fstat), ALLOW(lseek),
    ALLOW(mmap), ALLOW(munmap), ALLOW(mprotect), ALLOW(brk), ALLOW(exit_group), ALLOW(getdents64),
    ALLOW(fcntl), ALLOW(faccessat), ALLOW(mkdirat), ALLOW(unlinkat), ALLOW(execve), ALLOW(pread64),
    ALLOW(set_tid_address), ALLOW(set_robust_list), ALLOW(rseq), ALLOW(prlimit64), ALLOW(getrandom),
#ifdef __NR_access
    ALLOW(access), ALLOW(mkdir), ALLOW(unlink), ALLOW(rename), ALLOW(arch_prctl),
#endif
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};
static struct sock_fprog program = {sizeof(code) / sizeof(*code), code};
static void put(const char *text)
{
    (void)!write(1, text, strlen(text));
}
int main(int argc, char **argv)
{
    struct stat st;
    char line[256] = "", made[256];
    if (argc < 3 || chdir(argv[2]) != 0)
        return 9;
    snprintf(made, sizeof(made), "%s/file", argv[2]);
    setvbuf(stdout, NULL, _IONBF, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!strcmp(argv[1], "prctl") && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 8;
    if (!strcmp(argv[1], "syscall") && syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
        return 8;
    FILE *f = fopen("other", "r");
    put(f && fgets(line, sizeof(line), f) ? line : "no\n");
    put(open("other", O_RDONLY) >= 0 ? "open\n" : "no\n");
    put(stat("other", &st) == 0 ? "stat\n" : "no\n");
    put(access("none", F_OK) != 0 ? "absent\n" : "no\n");
    put(opendir(".") ? "opendir\n" : "no\n");
    int fd = open(!strcmp(argv[argc - 1], "relative") ? "file" : made, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    put(fd >= 0 && write(fd, "new\n", 4) == 4 ? "created\n" : "no\n");
    put(mkdir("made", 0700) == 0 ? "made\n" : "no\n");
    snprintf(made, sizeof(made), "%s/libone.so", argv[2]);
    put(dlopen(made, RTLD_NOW) ? "dlopen\n" : "no\n");
    char *const again[] = {argv[0], NULL};
    execv(argv[0], again);
    return 7;
}
P
mkdir -p app node && chmod 700 node
echo 'int one;' >one.c
$cc -shared -fPIC one.c -o app/libone.so
$cc -O1 strict.c -o app/strict -ldl
fresh() {
    rm -rf node/* app/made
    echo old >app/file
    echo other >app/other
}
stage() {
    fresh
    loadcast record -o app.lcast --manage "$tmp/app" -- "$tmp/app/strict" none "$tmp/app" read >recorded 2>&1 || true
    fresh
    loadcast record -o app.lcast --manage "$tmp/app" -- cat "$tmp/app/file" "$tmp/app/other" >>recorded 2>&1
    loadcast exec -q --dir "$tmp/node" app.lcast -- true
    node=$(ls -td "$tmp"/node/loadcast-*/*/ | head -1)
    node=${node%/}
}
# What a rank does once the image is staged: nobody checks it anew.
served() { LOADCAST_NODE=$node "$node/bin/launch" "$@"; }
for how in prctl syscall; do
    for where in absolute relative; do
        t "a filter set by $how, a file created by its $where path" '
            fresh
            a=0; "$tmp/app/strict" $how "$tmp/app" $where >plain 2>&1 || a=$?
            case $(tail -1 plain) in dlopen) ;; *) cat plain; skip "the plain program does not run under this filter" ;; esac
            stage
            b=0; served "$tmp/app/strict" $how "$tmp/app" $where >served 2>&1 || b=$?
            same plain served
            test $a = $b || { echo "status $b instead of $a"; exit 1; }
            test "$(served cat "$tmp/app/file")" = new
        '
    done
done
finish
