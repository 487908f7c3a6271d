/* SPDX-License-Identifier: MIT */
/* change-unlink.c - what is removed is gone, and may come back */
#include "seen.h"

int main(int argc, char **argv)
{
    int open_before = open("data/file", O_RDONLY);

    (void)argc;
    seen("data");
    SHOW(unlink("data/file"));
    seen("data/file");
    seen("data/to-file");
    seen("data/twin");
    seen("data");
    show_fd("held", "file", open_before);
    SHOW(unlink("data/file"));
    SHOW(unlink("data"));
    SHOW(unlink("data/to-dir"));
    seen("data/to-dir");
    seen("data/sub/deep/leaf");
    SHOW(unlinkat(AT_FDCWD, "data/empty-dir", 0));
    SHOW(unlinkat(AT_FDCWD, "data/empty-dir", AT_REMOVEDIR));
    seen("data/empty-dir");
    SHOW(remove("data/empty"));
    SHOW(remove(joined(argv[1], "/data/none")));
    SHOW(rmdir("data/sub"));
    SHOW(rmdir("data/big"));
    close(creat("data/file", 0644));
    seen("data/file");
    seen("data");
}
