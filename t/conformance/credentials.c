/* SPDX-License-Identifier: MIT */
/* credentials.c - a process without rights over others' files is told so */
#include "case.h"

int main(void)
{
    struct stat st;

    printf("user %s\n", getuid() == 0 ? "root" : "not root");
    show_fd("open", "unreadable", open("data/unreadable", O_RDONLY));
    SHOW(access("data/unreadable", R_OK));
    SHOW(access("data/unreadable", F_OK));
    SHOW(stat("data/closed/inside", &st));
    SHOW(stat("data/closed/none", &st));
    SHOW(stat("data/unlisted/inside", &st));
    SHOW(stat("data/unlisted/none", &st));
    show_fd("open", "unlisted", open("data/unlisted", O_RDONLY));
    SHOW(access("data/unlisted", X_OK));
    SHOW(access("/etc/shadow", R_OK));
}
