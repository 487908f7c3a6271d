/* SPDX-License-Identifier: MIT */
/* fork.c - children by fork, vfork, clone and posix_spawn see the same files */
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>

#include "case.h"

extern char **environ;

static void see(const char *who)
{
    struct stat st;
    char line[200];
    int fd = open("data/file", O_RDONLY);
    int n = snprintf(line, sizeof(line), "%s: open %d stat %d absent %d\n", who, fd >= 0,
                     stat("data/big", &st), access("data/none", F_OK));

    close(fd);
    (void)!write(1, line, (size_t)n);
}

static int in_clone(void *arg)
{
    see(arg);
    return 0;
}

int main(int argc, char **argv)
{
    static char stack[65536] __attribute__((aligned(16)));
    pid_t pid;
    int status;

    if (argc > 2) {
        see(argv[2]);
        return 3;
    }
    see("itself");
    if (fork() == 0) {
        see("fork");
        if (fork() == 0) {
            see("fork of fork");
            _exit(0);
        }
        wait(NULL);
        _exit(0);
    }
    wait(NULL);
    if ((pid = vfork()) == 0) {
        execl(argv[0], argv[0], argv[1], "vfork and exec", (char *)NULL);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    dprintf(1, "status %x\n", status);
    pid = clone(in_clone, stack + sizeof(stack), SIGCHLD, "clone");
    waitpid(pid, &status, 0);
    pid = clone(in_clone, stack + sizeof(stack), SIGCHLD | CLONE_VM | CLONE_VFORK,
                "clone sharing memory");
    waitpid(pid, &status, 0);
    char *const args[] = {argv[0], argv[1], "posix_spawn", NULL};
    int result = posix_spawn(&pid, argv[0], NULL, NULL, args, environ);
    waitpid(pid, &status, 0);
    dprintf(1, "spawn %d status %x\n", result, status);
}
