/* SPDX-License-Identifier: MIT */
/* realpath.c - realpath, __realpath_chk and canonicalize_file_name */
#include "case.h"

int main(int argc, char **argv)
{
    char *(*const chk)(const char *, char *, size_t) = spelling("__realpath_chk");

    (void)argc;
    name_places(argv[1]);
    for (int i = 0; i < n_places; i++) {
        char to[PATH_MAX] = "";
        errno = 0;
        char *r = realpath(places[i].path, NULL);
        printf("realpath %s: %s %s\n", places[i].what, r ? r : "-", r ? "" : error_name(errno));
        free(r);
        errno = 0;
        r = realpath(places[i].path, to);
        printf("into a room: %s %s\n", r ? to : "-", r ? "" : error_name(errno));
        /* What is left behind by a failure is part of the interface, where it names a path. */
        if (!r && (errno == ENOENT || errno == EACCES))
            printf("stopped at %s\n", to);
        r = chk(places[i].path, to, sizeof(to));
        printf("__realpath_chk: %s\n", r ? to : "-");
        r = canonicalize_file_name(places[i].path);
        printf("canonicalize_file_name: %s\n", r ? r : "-");
        free(r);
    }
}
