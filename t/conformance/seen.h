/* SPDX-License-Identifier: MIT */
/* seen.h - a path by all that can be asked of it, on one line: what a change must show up in */
#ifndef SEEN_H
#define SEEN_H

#include <dirent.h>

#include "case.h"

UNUSED static int names_in(const char *path)
{
    DIR *d = opendir(path);
    int n = 0;

    if (!d)
        return -1;
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

UNUSED static void seen(const char *path)
{
    struct stat st, l;
    char target[256] = "", line[64] = "";
    int fd = open(path, O_RDONLY | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
    int a = stat(path, &st), b = lstat(path, &l);

    line[n > 0 ? n : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    close(fd);
    printf("  %s: stat %s", path, a ? "fails" : "ok");
    if (a == 0)
        printf(" %o size %ld links %ld", st.st_mode, S_ISDIR(st.st_mode) ? 0 : (long)st.st_size,
               S_ISDIR(st.st_mode) ? 0 : (long)st.st_nlink);
    printf(" lstat %s %o", b ? "fails" : "ok", b ? 0 : l.st_mode & S_IFMT);
    printf(" access %s", outcome(access(path, R_OK)));
    n = readlink(path, target, sizeof(target) - 1);
    printf(" link '%s' names %d text '%.30s'\n", n > 0 ? target : "", names_in(path), line);
}

#endif
