/* SPDX-License-Identifier: MIT */
/* access.c - access, eaccess, euidaccess and faccessat */
#include "case.h"

int main(int argc, char **argv)
{
    static const int modes[] = {F_OK, R_OK, X_OK, W_OK, R_OK | X_OK, 8, -1};
    static const int flags[] = {0, AT_EACCESS, AT_SYMLINK_NOFOLLOW, 0x4000};

    (void)argc;
    name_places(argv[1]);
    for (int i = 0; i < n_places; i++)
        for (size_t k = 0; k < sizeof(modes) / sizeof(*modes); k++) {
            const char *p = places[i].path;
            printf("%s %d: %s", places[i].what, modes[k], outcome(access(p, modes[k])));
            printf(" %s", outcome(eaccess(p, modes[k])));
            printf(" %s", outcome(euidaccess(p, modes[k])));
            for (size_t j = 0; j < sizeof(flags) / sizeof(*flags); j++)
                printf(" %s", outcome(faccessat(AT_FDCWD, p, modes[k], flags[j])));
            puts("");
        }
}
