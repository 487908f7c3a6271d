/* SPDX-License-Identifier: MIT */
/* change-times.c - times set by every call that sets them */
#include <sys/time.h>
#include <utime.h>

#include "case.h"

static void show(const char *path)
{
    struct stat st;

    lstat(path, &st);
    printf("  %s: %ld.%09ld %ld\n", path, (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
           (long)st.st_atim.tv_sec);
}

int main(void)
{
    struct utimbuf u = {1000, 2000};
    struct timeval v[2] = {{3000, 1}, {4000, 2}};
    struct timespec s[2] = {{5000, 1}, {6000, 2}};
    int fd = open("data/big", O_RDONLY);

    SHOW(utime("data/file", &u));
    show("data/file");
    SHOW(utimes("data/file", v));
    show("data/file");
    SHOW(utimensat(AT_FDCWD, "data/file", s, 0));
    show("data/file");
    show("data/twin");
    SHOW(lutimes("data/to-file", v));
    show("data/to-file");
    show("data/file");
    SHOW(futimes(fd, v));
    show("data/big");
    SHOW(futimens(fd, s));
    show("data/big");
    SHOW(futimesat(AT_FDCWD, "data/empty", v));
    show("data/empty");
    SHOW(utime("data/none", &u));
    SHOW(utimes("data/sub", v));
    show("data/sub");
}
