/* SPDX-License-Identifier: MIT */
/* another-user.c - set*uid calls and what may be seen after them */
#include <sys/fsuid.h>

#include "case.h"

int main(void)
{
    struct stat st;

    SHOW(stat("data/file", &st));
    SHOW(seteuid(getuid()));
    SHOW(stat("data/file", &st));
    SHOW(setuid(getuid()));
    SHOW(setreuid((uid_t)-1, (uid_t)-1));
    SHOW(setresuid(getuid(), getuid(), getuid()));
    SHOW(setuid(0));
    SHOW(access("data/unreadable", R_OK));
    show_fd("open", "file", open("data/file", O_RDONLY));
}
