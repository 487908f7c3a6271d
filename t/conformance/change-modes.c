/* SPDX-License-Identifier: MIT */
/* change-modes.c - modes and owners changed show at once */
#include "seen.h"

int main(void)
{
    SHOW(chmod("data/file", 0600));
    seen("data/file");
    SHOW(chmod("data/file", 0000));
    seen("data/file");
    int fd = open("data/big", O_RDONLY);
    SHOW(fchmod(fd, 0640));
    seen("data/big");
    SHOW(fchmodat(AT_FDCWD, "data/to-file", 0644, 0));
    seen("data/file");
    SHOW(chmod("data/unreadable", 0600));
    seen("data/unreadable");
    SHOW(chmod("data/closed", 0700));
    seen("data/closed/inside");
    SHOW(chmod("data/sub", 0000));
    seen("data/sub/deep/leaf");
    SHOW(chmod("data/sub", 0755));
    seen("data/sub/deep/leaf");
    SHOW(chown("data/file", getuid(), getgid()));
    SHOW(lchown("data/to-file", getuid(), getgid()));
    SHOW(fchownat(AT_FDCWD, "data/empty", getuid(), getgid(), 0));
    SHOW(chmod("data/none", 0600));
    SHOW(chmod("data/dangling", 0600));
    SHOW(chmod("data/program", 0644));
    SHOW(access("data/program", X_OK));
}
