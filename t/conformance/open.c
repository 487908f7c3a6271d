/* SPDX-License-Identifier: MIT */
/* open.c - every spelling of open, on every place */
#include "case.h"

typedef int (*open_fn)(const char *, int, ...);
typedef int (*openat_fn)(int, const char *, int, ...);

int main(int argc, char **argv)
{
    static const char *const plain[] = {"open",     "open64",   "__open",
                                        "__open64", "__open_2", "__open64_2"};
    static const char *const at[] = {"openat", "openat64", "__openat_2", "__openat64_2"};

    (void)argc;
    name_places(argv[1]);
    for (int i = 0; i < n_places; i++) {
        for (size_t k = 0; k < sizeof(plain) / sizeof(*plain); k++) {
            open_fn f = (open_fn)spelling(plain[k]);
            if (f)
                show_fd(plain[k], places[i].what, f(places[i].path, O_RDONLY));
        }
        for (size_t k = 0; k < sizeof(at) / sizeof(*at); k++) {
            openat_fn f = (openat_fn)spelling(at[k]);
            if (f)
                show_fd(at[k], places[i].what, f(AT_FDCWD, places[i].path, O_RDONLY | O_CLOEXEC));
        }
    }
}
