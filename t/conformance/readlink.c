/* SPDX-License-Identifier: MIT */
/* readlink.c - readlink, readlinkat and their checked spellings, into rooms of any size */
#include "case.h"

typedef ssize_t (*chk_fn)(const char *, char *, size_t, size_t);

int main(int argc, char **argv)
{
    static const size_t sizes[] = {0, 1, 3, 4, 4096};

    (void)argc;
    name_places(argv[1]);
    for (int i = 0; i < n_places; i++)
        for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
            char to[4097];
            memset(to, '#', sizeof(to));
            ssize_t n = readlink(places[i].path, to, sizes[k]);
            printf("readlink %s %zu: %zd %s '%.*s' then %c\n", places[i].what, sizes[k], n,
                   outcome(n), n > 0 ? (int)n : 0, to, to[n > 0 ? n : 0]);
            n = readlinkat(AT_FDCWD, places[i].path, to, sizes[k]);
            printf("readlinkat %s %zu: %zd %s\n", places[i].what, sizes[k], n, outcome(n));
            if (spelling("__readlink_chk"))
                n = ((chk_fn)spelling("__readlink_chk"))(places[i].path, to, sizes[k], sizeof(to));
            printf("__readlink_chk %s %zu: %zd %s\n", places[i].what, sizes[k], n, outcome(n));
        }
}
