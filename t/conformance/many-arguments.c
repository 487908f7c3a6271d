/* SPDX-License-Identifier: MIT */
/* many-arguments.c - long lists and long paths given to exec */
#include <sys/wait.h>

#include "case.h"

extern char **environ;

static void attempt(int count, int size)
{
    char **list = calloc((size_t)count + 3, sizeof(*list)), *word = repeated("x", size);
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        list[0] = "sh";
        list[1] = "data/program-bare";
        for (int i = 0; i < count; i++)
            list[i + 2] = word;
        freopen("/dev/null", "w", stdout);
        execv("/bin/sh", list);
        _exit(errno == E2BIG ? 77 : 78);
    }
    waitpid(pid, &status, 0);
    printf("%d of %d: %x\n", count, size, status);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    (void)argc;
    attempt(10, 1000);
    attempt(20000, 5);
    attempt(40000, 5);
    attempt(2, 200000);
    char *const args[] = {"x", NULL};
    SHOW(execv(joined(argv[1], repeated("/.", 3000)), args));
    SHOW(execv(joined("data/", repeated("n", 300)), args));
}
