/* SPDX-License-Identifier: MIT */
/* glob.c - glob and glob64 with their flags */
#include <glob.h>

#include "case.h"

static int on_error(const char *path, int e)
{
    printf("  error at %s: %s\n", path, error_name(e));
    return 0;
}

static void show(const char *pattern, int flags)
{
    glob_t g = {.gl_offs = 2};
    int result = glob(pattern, flags, on_error, &g);

    printf("%s %x: %d, %zu found, flags %x\n", pattern, flags, result, (size_t)g.gl_pathc,
           g.gl_flags & 0xfff);
    for (size_t i = 0; result == 0 && i < g.gl_pathc; i++)
        printf("  %s\n", g.gl_pathv[i + (flags & GLOB_DOOFFS ? g.gl_offs : 0)]);
    if (result == 0)
        globfree(&g);
}

int main(int argc, char **argv)
{
    static const char *const patterns[] = {
        "data/*",
        "data/sub/*.txt",
        "data/sub/n[12]*.txt",
        "data/sub/n?.txt",
        "data/*/deep/*",
        "data/.*/none*",
        "data/none/*",
        "data/no*",
        "data/{file,empty,none}",
        "~/none*",
        "data/sub/.h*",
        "data/closed/*",
        "data/to-*",
        "*/",
        "data/dangl*",
        "data/[",
        "data/fil\\e",
        "",
        "data/file",
        "data/loop/*",
    };
    static const int flags[] = {
        0,           GLOB_MARK,       GLOB_NOSORT & 0, GLOB_NOCHECK,  GLOB_BRACE,
        GLOB_PERIOD, GLOB_ONLYDIR,    GLOB_ERR,        GLOB_NOESCAPE, GLOB_NOMAGIC,
        GLOB_DOOFFS, GLOB_TILDE_CHECK};
    glob_t g = {0};

    for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
        for (size_t k = 0; k < sizeof(flags) / sizeof(*flags); k++)
            show(patterns[i], flags[k]);
    (void)argc;
    show(joined(argv[1], "/data/sub/*"), 0);
    glob("data/f*", 0, NULL, &g);
    glob("data/sub/n*", GLOB_APPEND, NULL, &g);
    for (size_t i = 0; i < g.gl_pathc; i++)
        printf("appended: %s\n", g.gl_pathv[i]);
    globfree(&g);
}
