/* SPDX-License-Identifier: MIT */
/* change-directories.c - directories made and removed */
#include "seen.h"

int main(void)
{
    SHOW(mkdir("data/new", 0750));
    seen("data/new");
    SHOW(mkdirat(AT_FDCWD, "data/new/below", 0700));
    seen("data/new/below");
    seen("data/new");
    SHOW(mkdir("data/new", 0700));
    SHOW(mkdir("data/file", 0700));
    SHOW(mkdir("data/file/x", 0700));
    SHOW(mkdir("data/dangling", 0700));
    SHOW(mkdir("data/none/x", 0700));
    SHOW(rmdir("data/new"));
    SHOW(rmdir("data/new/below"));
    SHOW(rmdir("data/new"));
    seen("data/new");
    close(open("data/new", O_CREAT | O_WRONLY, 0600));
    seen("data/new");
    seen("data");
}
