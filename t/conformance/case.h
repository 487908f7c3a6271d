/* SPDX-License-Identifier: MIT */
/* case.h - what conformance programs share: places to ask about, and results as text
 *
 * A case prints what the system told it, in a form that does not change from run to run. It is run
 * plainly and under Loadcast, and must print the same. argv[1] is the tree (see fixture), which is
 * also the working directory.
 */
#ifndef CASE_H
#define CASE_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

/* One way of naming something: what it is, and the path. */
struct place {
    const char *what, *path;
};

#define PLACES 64
UNUSED static struct place places[PLACES];
UNUSED static int n_places;

UNUSED static char *joined(const char *a, const char *b)
{
    char *all;

    if (asprintf(&all, "%s%s", a, b) < 0)
        exit(9);
    return all;
}

UNUSED static void place(const char *what, const char *root, const char *rest)
{
    if (n_places == PLACES)
        exit(9);
    places[n_places++] = (struct place){what, joined(root, rest)};
}

UNUSED static char *repeated(const char *text, int times)
{
    char *all = calloc((size_t)times, strlen(text) + 1);

    for (int i = 0; i < times; i++)
        strcat(all, text);
    return all;
}

/* Good, absent, forbidden, dangling, looping, over-long, relative, oddly written. */
UNUSED static void name_places(const char *root)
{
    static const char *const rests[] = {
        "/data/file",
        "/data/empty",
        "/data/big",
        "/data",
        "/data/",
        "/data/.",
        "/data/..",
        "/data/file/",
        "/data/file/.",
        "/data/file/below",
        "/data/none",
        "/data/none/below",
        "/none/../data/file",
        "/data/../data//file",
        "/data/./sub/../file",
        "/data/sub/deep/leaf",
        "/data/to-file",
        "/data/to-file/",
        "/data/to-dir",
        "/data/to-dir/",
        "/data/to-dir/deep/leaf",
        "/data/to-dir/../file",
        "/data/to-absolute",
        "/data/chain",
        "/data/dangling",
        "/data/dangling/",
        "/data/loop",
        "/data/loop/below",
        "/data/to-self-parent/data/file",
        "/data/unreadable",
        "/data/closed",
        "/data/closed/inside",
        "/data/unlisted",
        "/data/unlisted/inside",
        "/data/program",
        "/data/two words",
        "/data/\xc3\xa9",
        "/data/empty-dir",
    };
    static const char *const relative[] = {
        "data/file", "./data/file", "data/none", "../none",      ".", "..",
        "",          "/",           "//",        "data/to-file",
    };

    for (size_t i = 0; i < sizeof(rests) / sizeof(*rests); i++)
        place(rests[i], root, rests[i]);
    for (size_t i = 0; i < sizeof(relative) / sizeof(*relative); i++)
        place(relative[i][0] ? relative[i] : "(empty)", "", relative[i]);
    place("name of 255", root, joined("/data/", repeated("n", 255)));
    place("name of 256", root, joined("/data/", repeated("n", 256)));
    place("path of 4095", root, repeated("/.", (4095 - (int)strlen(root)) / 2));
    place("path over 4096", root, repeated("/.", 2100));
    place("absent path over 4096", root, repeated("/no", 1400));
}

/* glibc has it since 2.32. */
extern const char *strerrorname_np(int e) __attribute__((weak));

UNUSED static const char *error_name(int e)
{
    const char *name = strerrorname_np ? strerrorname_np(e) : strerror(e);

    return name ? name : "?";
}

/* The result of a call: 'ok' or the error's name. */
UNUSED static const char *outcome(long result)
{
    return result < 0 ? error_name(errno) : "ok";
}

#define SHOW(call)                                        \
    do {                                                  \
        errno = 0;                                        \
        long shown_ = (long)(call);                       \
        if (shown_ < 0)                                   \
            printf("%s: %s\n", #call, error_name(errno)); \
        else                                              \
            printf("%s: %ld\n", #call, shown_);           \
    } while (0)

/* A descriptor's content, in brief: its length and a sum; it is closed. */
UNUSED static void show_fd(const char *how, const char *what, int fd)
{
    char buffer[4096];
    long total = 0, sum = 0, n;
    int e = errno;

    if (fd < 0) {
        printf("%s %s: %s\n", how, what, error_name(e));
        return;
    }
    while ((n = read(fd, buffer, sizeof(buffer))) > 0) {
        for (long i = 0; i < n; i++)
            sum = sum * 31 % 1000003 + buffer[i];
        total += n;
    }
    printf("%s %s: %ld bytes, sum %ld%s%s\n", how, what, total, sum, n < 0 ? ", " : "",
           n < 0 ? error_name(errno) : "");
    close(fd);
}

/* A function by its name in the C library, so that every spelling can be called; NULL if this C
 * library has none. */
UNUSED static void *spelling(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

UNUSED static void show_stat(const struct stat *st)
{
    printf(" mode %o nlink %lu uid %u size %ld mtime %ld.%09ld", st->st_mode,
           (unsigned long)(S_ISDIR(st->st_mode) ? 0 : st->st_nlink), st->st_uid,
           S_ISDIR(st->st_mode) ? 0L : (long)st->st_size, (long)st->st_mtim.tv_sec,
           st->st_mtim.tv_nsec);
}

#endif
