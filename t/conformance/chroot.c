/* SPDX-License-Identifier: MIT */
/* chroot.c - in another root, names mean other things */
#include <sched.h>

#include "case.h"

int main(int argc, char **argv)
{
    struct stat st;

    (void)argc;
    SHOW(chroot("data"));
    SHOW(unshare(CLONE_NEWUSER | CLONE_NEWNS));
    SHOW(chroot("data"));
    SHOW(stat(joined(argv[1], "/data/file"), &st));
    SHOW(stat("/file", &st));
    SHOW(chdir("/"));
    show_fd("open", "file", open("file", O_RDONLY));
    show_fd("open", "/data/file", open("/data/file", O_RDONLY));
    SHOW(stat("/../../sub/deep/leaf", &st));
}
