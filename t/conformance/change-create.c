/* SPDX-License-Identifier: MIT */
/* change-create.c - a file made where one was absent is there at once, for every call */
#include "seen.h"

int main(int argc, char **argv)
{
    (void)argc;
    seen("data/none");
    seen("data");
    int fd = open("data/none", O_WRONLY | O_CREAT | O_EXCL, 0644);
    SHOW(write(fd, "made\n", 5));
    close(fd);
    seen("data/none");
    seen(joined(argv[1], "/data/none"));
    seen("data");
    SHOW(open("data/none", O_WRONLY | O_CREAT | O_EXCL, 0644));
    SHOW(creat("data/none2", 0600));
    seen("data/none2");
    FILE *f = fopen("data/none3", "w");
    fputs("by stream\n", f);
    fclose(f);
    seen("data/none3");
    seen("data/none4");
    SHOW(open("data/none/below", O_WRONLY | O_CREAT, 0600));
    SHOW(open("nowhere/none", O_WRONLY | O_CREAT, 0600));
    seen("data/file");
}
