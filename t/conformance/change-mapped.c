/* SPDX-License-Identifier: MIT */
/* change-mapped.c - a map of a file stays what it was promised to be when its original is replaced
 */
#include <sys/mman.h>

#include "seen.h"

int main(void)
{
    int fd = open("data/file", O_RDONLY);
    const char *m = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);

    printf("%.9s\n", m);
    /* The usual way of replacing: a new file in its place. */
    FILE *f = fopen("data/file.new", "w");
    fputs("replaced\n", f);
    fclose(f);
    SHOW(rename("data/file.new", "data/file"));
    printf("%.9s\n", m);
    show_fd("held", "file", fd);
    seen("data/file");
    seen("data/twin");
}
