/* SPDX-License-Identifier: MIT */
/* change-write.c - a served file that is written: new content and size, through every descriptor */
#include "seen.h"

int main(void)
{
    seen("data/file");
    int fd = open("data/file", O_RDWR);
    SHOW(write(fd, "THE", 3));
    seen("data/file");
    SHOW(lseek(fd, 0, SEEK_END));
    SHOW(write(fd, "more\n", 5));
    seen("data/file");
    seen("data/twin");
    seen("data/to-file");
    FILE *f = fopen("data/file", "a");
    fputs("and more\n", f);
    fclose(f);
    seen("data/file");
    f = fopen("data/file", "r+");
    fputs("xyz", f);
    fclose(f);
    seen("data/to-absolute");
    SHOW(ftruncate(fd, 7));
    seen("data/file");
    SHOW(truncate("data/big", 10));
    seen("data/big");
    close(open("data/sub/n1.txt", O_WRONLY | O_TRUNC));
    seen("data/sub/n1.txt");
}
