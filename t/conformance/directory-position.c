/* SPDX-License-Identifier: MIT */
/* directory-position.c - telldir, seekdir, rewinddir, dirfd and fdopendir */
#include <dirent.h>

#include "case.h"

static int count(DIR *d)
{
    int n = 0;

    while (readdir(d))
        n++;
    return n;
}

int main(void)
{
    DIR *d = opendir("data");
    long at[100];
    char name[100][256];
    int n = 0;
    struct stat a, b;

    for (struct dirent *e;; n++) {
        at[n] = telldir(d);
        if (!(e = readdir(d)))
            break;
        strcpy(name[n], e->d_name);
    }
    printf("%d names\n", n);
    for (int i = n - 1; i >= 0; i--) {
        seekdir(d, at[i]);
        printf("again: %s\n", strcmp(readdir(d)->d_name, name[i]) == 0 ? "same" : "other");
    }
    rewinddir(d);
    printf("rewound: %d\n", count(d));
    printf("at the end: %d\n", count(d));
    int fd = dirfd(d);
    fstat(fd, &a);
    stat("data", &b);
    printf("dirfd: %s\n", a.st_ino == b.st_ino && a.st_dev == b.st_dev ? "same" : "other");
    printf("below dirfd: %s\n", outcome(faccessat(fd, "file", R_OK, 0)));
    printf("dirfd is closed on exec: %d\n", fcntl(fd, F_GETFD));
    SHOW(closedir(d));
    errno = 0;
    printf("its descriptor is gone: %d %s\n", fcntl(fd, F_GETFD), error_name(errno));
    fd = open("data/sub", O_RDONLY | O_DIRECTORY);
    d = fdopendir(fd);
    printf("fdopendir: %d, dirfd %s\n", count(d), dirfd(d) == fd ? "same" : "other");
    closedir(d);
    SHOW((long)(fdopendir(-1) ? 0 : -1));
    fd = open("data/file", O_RDONLY);
    SHOW((long)(fdopendir(fd) ? 0 : -1));
}
