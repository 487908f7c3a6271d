/* SPDX-License-Identifier: MIT */
/* path-only.c - O_PATH descriptors: what they allow and where they lead */
#include "case.h"

int main(int argc, char **argv)
{
    char to[PATH_MAX] = "", proc[64], byte;
    struct stat st;

    (void)argc;
    name_places(argv[1]);
    for (int i = 0; i < n_places; i++) {
        int fd = open(places[i].path, O_PATH | O_NOFOLLOW);
        printf("%s: %s", places[i].what, fd < 0 ? error_name(errno) : "open");
        if (fd >= 0) {
            printf(" read %s", outcome(read(fd, &byte, 1)));
            printf(" fstat %s", outcome(fstat(fd, &st)));
            show_stat(&st);
            snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
            ssize_t n = readlink(proc, to, sizeof(to) - 1);
            printf(" is %.*s", (int)(n > 0 ? n : 0), to);
            printf(" opened %s", outcome(open(proc, O_RDONLY)));
        }
        puts("");
    }
}
