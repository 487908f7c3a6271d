/* SPDX-License-Identifier: MIT */
/* environment.c - a program that changes its environment afterwards sees the same files */
#include <sys/wait.h>

#include "case.h"

extern char **environ;

static void see(const char *when)
{
    struct stat st;

    printf("%s: %d %s\n", when, stat("data/file", &st), outcome(access("data/none", F_OK)));
    fflush(stdout);
}

static void child(const char *when)
{
    see(when);
    if (fork() == 0) {
        execl("/bin/sh", "sh", "-c", "cat data/file; test -e data/none; echo $?", (char *)NULL);
        _exit(1);
    }
    wait(NULL);
}

int main(void)
{
    child("at first");
    setenv("LD_LIBRARY_PATH", "/none", 1);
    child("another library path");
    unsetenv("LD_PRELOAD");
    child("without LD_PRELOAD");
    setenv("LD_PRELOAD", "", 1);
    child("empty LD_PRELOAD");
    unsetenv("LD_AUDIT");
    child("without LD_AUDIT");
    clearenv();
    child("cleared");
    environ = NULL;
    see("none at all");
}
