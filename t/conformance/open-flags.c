/* SPDX-License-Identifier: MIT */
/* open-flags.c - flags of open, what they refuse and what they leave on the descriptor */
#include "case.h"

static const struct {
    const char *name;
    int flags;
} sets[] = {
    {"none", 0},
    {"cloexec", O_CLOEXEC},
    {"directory", O_DIRECTORY},
    {"nofollow", O_NOFOLLOW},
    {"nofollow+directory", O_NOFOLLOW | O_DIRECTORY},
    {"path", O_PATH},
    {"path+nofollow", O_PATH | O_NOFOLLOW},
    {"nonblock", O_NONBLOCK},
    {"append", O_APPEND},
    {"noctty", O_NOCTTY},
    {"excl", O_EXCL},
    {"sync", O_SYNC},
    {"noatime", O_NOATIME},
    {"async", O_ASYNC},
    {"largefile", O_LARGEFILE},
    {"access mode 3", 3},
    {"unknown", 1 << 30},
};

int main(int argc, char **argv)
{
    (void)argc;
    name_places(argv[1]);
    for (int i = 0; i < n_places; i++)
        for (size_t k = 0; k < sizeof(sets) / sizeof(*sets); k++) {
            int fd = open(places[i].path, sets[k].flags);
            if (fd < 0)
                printf("%s %s: %s\n", sets[k].name, places[i].what, error_name(errno));
            else
                printf("%s %s: status %o, descriptor %d\n", sets[k].name, places[i].what,
                       fcntl(fd, F_GETFL), fcntl(fd, F_GETFD));
            close(fd);
        }
}
