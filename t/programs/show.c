/* SPDX-License-Identifier: MIT */
/* show.c - what a program sees of how it was started: arguments, environment, its own file.
 * show [--exit N | --sleep SECONDS | --kill SIGNAL] [ARGUMENT...] */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void show_variable(const char *name)
{
    const char *value = getenv(name);

    printf("%s=%s\n", name, value ? value : "(unset)");
}

int main(int argc, char **argv)
{
    char self[4096];
    /* The kernel's answer: the client would give back the original name. */
    long n = syscall(SYS_readlinkat, -100, "/proc/self/exe", self, sizeof(self));

    for (int i = 0; i < argc; i++)
        printf("argv[%d]=%s\n", i, argv[i]);
    printf("exe=%.*s\n", (int)(n > 0 ? n : 0), self);
    show_variable("LD_AUDIT");
    show_variable("LD_PRELOAD");
    show_variable("LOADCAST_NODE");
    show_variable("LOADCAST_TELL");
    show_variable("SHOWN");
    fflush(stdout);
    if (argc > 2 && strcmp(argv[1], "--exit") == 0)
        return atoi(argv[2]);
    if (argc > 2 && strcmp(argv[1], "--sleep") == 0)
        sleep((unsigned)atoi(argv[2]));
    if (argc > 2 && strcmp(argv[1], "--kill") == 0)
        raise(atoi(argv[2]));
    return 0;
}
