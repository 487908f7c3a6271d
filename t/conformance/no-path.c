/* SPDX-License-Identifier: MIT */
/* no-path.c - no path at all: the kernel's error, not a crash */
#include "case.h"

int main(void)
{
    static const char *volatile none;
    struct stat st;
    char to[10];
    int (*const f)(const char *, int, ...) = (int (*)(const char *, int, ...))spelling("open");
    int (*const volatile s)(const char *, struct stat *) = stat;
    int (*const a)(const char *, int) = (int (*)(const char *, int))spelling("access");
    ssize_t (*const r)(const char *, char *, size_t) =
        (ssize_t(*)(const char *, char *, size_t))spelling("readlink");
    char *(*const p)(const char *, char *) = (char *(*)(const char *, char *))spelling("realpath");
    int (*const u)(const char *) = (int (*)(const char *))spelling("unlink");
    int (*const n)(const char *, const char *) =
        (int (*)(const char *, const char *))spelling("rename");

    SHOW(f(none, O_RDONLY));
    SHOW(s(none, &st));
    SHOW(a(none, F_OK));
    SHOW(r(none, to, sizeof(to)));
    SHOW(p(none, NULL) ? 0 : -1);
    SHOW(u(none));
    SHOW(n(none, "data/x"));
    SHOW(n("data/file", none));
}
