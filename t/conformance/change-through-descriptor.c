/* SPDX-License-Identifier: MIT */
/* change-through-descriptor.c - names made and removed below a directory's descriptor */
#include "seen.h"

int main(void)
{
    int data = open("data", O_RDONLY | O_DIRECTORY), sub = openat(data, "to-dir", O_PATH);

    close(openat(data, "none", O_CREAT | O_WRONLY, 0600));
    seen("data/none");
    SHOW(mkdirat(sub, "made", 0700));
    seen("data/sub/made");
    SHOW(unlinkat(sub, "n1.txt", 0));
    seen("data/sub/n1.txt");
    seen("data/sub");
    SHOW(renameat(data, "file", sub, "file"));
    seen("data/file");
    seen("data/sub/file");
    SHOW(symlinkat("nowhere", sub, "odd"));
    seen("data/to-dir/odd");
    SHOW(fchdir(sub));
    SHOW(unlink("n2.txt"));
    SHOW(access("n2.txt", F_OK));
    close(creat("n2.txt", 0600));
    SHOW(access("n2.txt", F_OK));
    SHOW(linkat(sub, "file", data, "back", 0));
    SHOW(faccessat(data, "back", F_OK, 0));
}
