/* SPDX-License-Identifier: MIT */
/* descriptor-relative.c - openat and its family from directories, files, links and nothing */
#include "case.h"

static void ask(const char *how, int at, const char *path)
{
    struct stat st;
    char to[100];
    int fd = openat(at, path, O_RDONLY);

    printf("%s '%s': openat %s", how, path, fd < 0 ? error_name(errno) : "ok");
    close(fd);
    int result = fstatat(at, path, &st, 0);
    printf(" fstatat %s", outcome(result));
    if (result == 0)
        show_stat(&st);
    printf(" readlinkat %s", outcome(readlinkat(at, path, to, sizeof(to))));
    printf(" faccessat %s\n", outcome(faccessat(at, path, R_OK, 0)));
}

int main(int argc, char **argv)
{
    static const char *const paths[] = {"file", "sub/deep/leaf", "none",      "to-file", "", ".",
                                        "..",   "../data/file",  "deep/leaf", "n1.txt"};
    int data = open("data", O_RDONLY | O_DIRECTORY),
        sub = open("data/to-dir", O_PATH | O_DIRECTORY), file = open("data/file", O_RDONLY),
        link = open("data/to-dir", O_PATH | O_NOFOLLOW);

    (void)argc;
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        ask("directory", data, paths[i]);
        ask("path-only directory", sub, paths[i]);
        ask("file", file, paths[i]);
        ask("link", link, paths[i]);
        ask("working directory", AT_FDCWD, paths[i]);
        ask("no descriptor", -1, paths[i]);
        ask("closed descriptor", 500, paths[i]);
        ask("absolute", 500, joined(argv[1], joined("/data/", paths[i])));
    }
}
