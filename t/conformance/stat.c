/* SPDX-License-Identifier: MIT */
/* stat.c - every spelling of stat, lstat and fstatat, on every place */
#include "case.h"

typedef int (*stat_fn)(const char *, struct stat *);
typedef int (*xstat_fn)(int, const char *, struct stat *);
typedef int (*statat_fn)(int, const char *, struct stat *, int);
typedef int (*xstatat_fn)(int, int, const char *, struct stat *, int);

static struct stat st;

static void show(const char *how, const char *what, int result)
{
    printf("%s %s: %s", how, what, outcome(result));
    if (result == 0)
        show_stat(&st);
    puts("");
}

int main(int argc, char **argv)
{
    static const char *const plain[] = {"stat", "stat64", "lstat", "lstat64"};
    /* What a C library before 2.33 does not have, the program has. */
    static const stat_fn own[] = {stat, (stat_fn)stat64, lstat, (stat_fn)lstat64};
    static const char *const x[] = {"__xstat", "__xstat64", "__lxstat", "__lxstat64"};
    static const int flags[] = {0, AT_SYMLINK_NOFOLLOW, AT_NO_AUTOMOUNT, AT_EMPTY_PATH, 0x4000};

    (void)argc;
    name_places(argv[1]);
    for (int i = 0; i < n_places; i++) {
        const char *p = places[i].path, *what = places[i].what;
        for (size_t k = 0; k < 4; k++) {
            stat_fn f = (stat_fn)spelling(plain[k]);
            show(plain[k], what, (f ? f : own[k])(p, &st));
            for (int version = 0; spelling(x[k]) && version < 2; version++)
                show(x[k], what, ((xstat_fn)spelling(x[k]))(version, p, &st));
        }
        for (size_t k = 0; k < sizeof(flags) / sizeof(*flags); k++) {
            show("fstatat", what, fstatat(AT_FDCWD, p, &st, flags[k]));
            statat_fn f = (statat_fn)spelling("fstatat64");
            show("fstatat64", what, (f ? f : fstatat)(AT_FDCWD, p, &st, flags[k]));
            show("__fxstatat", what,
                 ((xstatat_fn)spelling("__fxstatat"))(1, AT_FDCWD, p, &st, flags[k]));
        }
    }
    /* Versions that no program of this machine uses. */
    SHOW(((xstat_fn)spelling("__xstat"))(7, places[0].path, &st));
    SHOW(((xstat_fn)spelling("__xstat"))(-1, places[0].path, &st));
    SHOW(((xstatat_fn)spelling("__fxstatat"))(-1, AT_FDCWD, places[0].path, &st, 0));
}
