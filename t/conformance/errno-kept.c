/* SPDX-License-Identifier: MIT */
/* errno-kept.c - a call that succeeds leaves errno alone */
#include <dirent.h>
#include <glob.h>

#include "case.h"

#define KEPT(call)                                                              \
    do {                                                                        \
        errno = 12345;                                                          \
        long got_ = (long)(call);                                               \
        (void)got_;                                                             \
        printf("%s: %s\n", #call, errno == 12345 ? "kept" : error_name(errno)); \
    } while (0)

int main(void)
{
    struct stat st;
    struct statx x;
    char to[PATH_MAX];
    DIR *d;

    KEPT(open("data/file", O_RDONLY));
    KEPT(openat(AT_FDCWD, "data/to-file", O_RDONLY));
    KEPT(stat("data/file", &st));
    KEPT(lstat("data/dangling", &st));
    KEPT(fstat(3, &st));
    KEPT(statx(AT_FDCWD, "data", 0, STATX_ALL, &x));
    KEPT(access("data/file", R_OK));
    KEPT(readlink("data/to-file", to, sizeof(to)));
    KEPT((d = opendir("data")));
    KEPT(readdir(d));
    KEPT(closedir(d));
    KEPT(close(3));
}
