/* SPDX-License-Identifier: MIT */
/* change-links.c - hard and symbolic links made */
#include "seen.h"

int main(int argc, char **argv)
{
    (void)argc;
    SHOW(symlink("file", "data/none"));
    seen("data/none");
    SHOW(symlink("x", "data/file"));
    SHOW(symlinkat("sub/deep", AT_FDCWD, "data/short"));
    seen("data/short/leaf");
    SHOW(link("data/file", "data/third"));
    seen("data/third");
    seen("data/file");
    SHOW(linkat(AT_FDCWD, "data/to-file", AT_FDCWD, "data/link-to-link", 0));
    seen("data/link-to-link");
    SHOW(linkat(AT_FDCWD, "data/to-file", AT_FDCWD, "data/followed", AT_SYMLINK_FOLLOW));
    seen("data/followed");
    SHOW(link("data/none2", "data/x"));
    SHOW(link("data/sub", "data/x"));
    int fd = open("data", O_TMPFILE | O_RDWR, 0600);
    SHOW(write(fd, "no name\n", 8));
    char proc[64];
    snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
    SHOW(linkat(AT_FDCWD, proc, AT_FDCWD, joined(argv[1], "/data/named"), AT_SYMLINK_FOLLOW));
    seen("data/named");
    SHOW(unlink("data/dangling"));
    SHOW(symlink("big", "data/dangling"));
    seen("data/dangling");
}
