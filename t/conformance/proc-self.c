/* SPDX-License-Identifier: MIT */
/* proc-self.c - what a process learns of itself in /proc: names of its own files are the originals
 */
#include "case.h"

static void show(const char *what, const char *path)
{
    char to[PATH_MAX] = "";
    ssize_t n = readlink(path, to, sizeof(to) - 1);
    char *real = realpath(path, NULL);

    printf("%s: %zd %s, real %s\n", what, n, to, real ? real : error_name(errno));
    free(real);
}

int main(int argc, char **argv)
{
    char path[64], small[8];
    int fd = open("data/to-file", O_RDONLY);
    FILE *f = fopen("/proc/self/comm", "r");
    char name[64] = "";
    struct stat a, b;

    (void)argc;
    show("exe", "/proc/self/exe");
    show("cwd", "/proc/self/cwd");
    show("root", "/proc/self/root");
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    show("descriptor", path);
    snprintf(path, sizeof(path), "/proc/%d/exe", getpid());
    show("by number", path);
    SHOW(readlink("/proc/self/exe", small, sizeof(small)));
    printf("%.8s\n", small);
    (void)!fgets(name, sizeof(name), f);
    printf("comm: %s", name);
    printf("argv[0]: %s\n", argv[0]);
    printf("invoked as: %s %s\n", program_invocation_name, program_invocation_short_name);
    stat("/proc/self/exe", &a);
    stat(argv[0], &b);
    printf("exe by stat: size %s\n", a.st_size == b.st_size ? "same" : "other");
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    show_fd("reopened", "descriptor", open(path, O_RDONLY));
    show_fd("below", "cwd", open("/proc/self/cwd/data/file", O_RDONLY));
}
