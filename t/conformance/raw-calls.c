/* SPDX-License-Identifier: MIT */
/* raw-calls.c - system calls made past the C library agree with those through it */
#include <sys/syscall.h>

#include "case.h"

static void compare(const char *what, const char *path)
{
    struct stat a, b;
    int x = stat(path, &a), y = (int)syscall(SYS_newfstatat, AT_FDCWD, path, &b, 0);

    printf("%s: %d %d", what, x, y);
    if (x == 0 && y == 0)
        printf(" inode %s device %s size %s", a.st_ino == b.st_ino ? "same" : "other",
               a.st_dev == b.st_dev ? "same" : "other", a.st_size == b.st_size ? "same" : "other");
    puts("");
}

int main(int argc, char **argv)
{
    (void)argc;
    name_places(argv[1]);
    for (int i = 0; i < n_places; i++) {
        compare(places[i].what, places[i].path);
        show_fd("raw", places[i].what,
                (int)syscall(SYS_openat, AT_FDCWD, places[i].path, O_RDONLY));
    }
}
