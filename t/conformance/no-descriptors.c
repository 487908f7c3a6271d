/* SPDX-License-Identifier: MIT */
/* no-descriptors.c - the limit of descriptors, and descriptors closed or taken behind our back */
#include <sys/resource.h>

#include "case.h"

/* closefrom(3), which glibc has since 2.34 */
static void close_all(void)
{
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
}

int main(void)
{
    struct rlimit limit = {16, 16};
    struct stat st;
    int n = 0, fd;

    close_all();
    SHOW(open("data/file", O_RDONLY));
    dup2(1, 200);
    for (int i = 3; i < 100; i++)
        dup2(0, i);
    show_fd("taken", "file", open("data/file", O_RDONLY));
    close_all();
    setrlimit(RLIMIT_NOFILE, &limit);
    while ((fd = open("data/file", O_RDONLY)) >= 0)
        n++;
    printf("%d, then %s\n", n, error_name(errno));
    SHOW(stat("data/file", &st));
    SHOW(access("data/none", F_OK));
    SHOW((long)(fopen("data/file", "r") ? 0 : -1));
    close(3);
    SHOW(open("data/big", O_RDONLY));
}
