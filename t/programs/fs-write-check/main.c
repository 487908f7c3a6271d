/* SPDX-License-Identifier: MIT */
/* main.c - fs-write-check: does a directory behave as POSIX says when it is written to?
 *
 * fs-write-check --list            the names of the checks
 * fs-write-check DIR NAME          run one, in a new directory below DIR
 *
 * Status 0: holds. 1: does not; the line that failed is on stderr. 77: cannot be said here. Run on
 * a local disk first: what does not hold there is no finding. */
#include "check.h"

#include <fcntl.h>
#include <unistd.h>

void put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    CHECK(fd >= 0);
    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    CHECK(close(fd) == 0);
}

bool holds(const char *path, const char *text)
{
    char buf[256] = "";
    int fd = open(path, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);

    if (fd >= 0)
        close(fd);
    return n == (ssize_t)strlen(text) && strcmp(buf, text) == 0;
}

struct stat stat_of(const char *path)
{
    struct stat st;

    CHECK(lstat(path, &st) == 0);
    return st;
}

static void run(const struct check *check, const char *dir)
{
    umask(022);
    CHECK(chdir(dir) == 0);
    CHECK(mkdir(check->name, 0755) == 0 && chdir(check->name) == 0);
    check->run();
    exit(0);
}

int main(int argc, char **argv)
{
    const struct check *const all[] = {names_checks, content_checks, attributes_checks,
                                       locks_checks};
    bool list = argc == 2 && strcmp(argv[1], "--list") == 0;

    for (size_t g = 0; g < sizeof(all) / sizeof(*all); g++)
        for (const struct check *c = all[g]; c->name; c++) {
            if (list)
                puts(c->name);
            else if (argc == 3 && strcmp(argv[2], c->name) == 0)
                run(c, argv[1]);
        }
    return list ? 0 : 2;
}
