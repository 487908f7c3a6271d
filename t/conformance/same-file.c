/* SPDX-License-Identifier: MIT */
/* same-file.c - device and inode tell the same story by path, descriptor, listing and statx */
#include <dirent.h>

#include "case.h"

static void compare(const char *what, const struct stat *a, const struct stat *b)
{
    printf("%s: device %s, inode %s, time %s, blocks %s\n", what,
           a->st_dev == b->st_dev ? "same" : "other", a->st_ino == b->st_ino ? "same" : "other",
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec
               ? "same"
               : "other",
           a->st_blocks == b->st_blocks && a->st_blksize == b->st_blksize ? "same" : "other");
}

static void by_descriptor(const char *path)
{
    struct stat a, b;
    int fd = open(path, O_RDONLY), other = dup(fd);

    stat(path, &a);
    fstat(fd, &b);
    compare("fstat", &a, &b);
    fstat(other, &b);
    compare("fstat of dup", &a, &b);
    fstatat(fd, "", &b, AT_EMPTY_PATH);
    compare("fstatat of descriptor", &a, &b);
    dup2(fd, 77);
    fstat(77, &b);
    compare("fstat of dup2", &a, &b);
    FILE *f = fopen(path, "r");
    fstat(fileno(f), &b);
    compare("fstat of stream", &a, &b);
    close(fd);
    close(other);
    fclose(f);
}

int main(int argc, char **argv)
{
    struct stat a, b;
    struct statx x;
    DIR *d = opendir("data");

    (void)argc;
    by_descriptor("data/file");
    by_descriptor(joined(argv[1], "/data/to-file"));
    by_descriptor("data");
    stat("data/file", &a);
    stat("data/twin", &b);
    compare("hard link", &a, &b);
    statx(AT_FDCWD, "data/file", 0, STATX_ALL, &x);
    printf("statx: inode %s\n", x.stx_ino == a.st_ino ? "same" : "other");
    for (struct dirent *e; (e = readdir(d));) {
        fstatat(AT_FDCWD, joined("data/", e->d_name), &b, AT_SYMLINK_NOFOLLOW);
        if (e->d_ino != b.st_ino)
            printf("listing: %s has another inode number\n", e->d_name);
    }
    closedir(d);
    stat("data/sub/..", &a);
    stat("data", &b);
    compare("parent", &a, &b);
    stat("data/to-self-parent", &a);
    stat(".", &b);
    compare("link to parent", &a, &b);
}
