/* SPDX-License-Identifier: MIT */
/* scandir.c - scandir, scandir64 and scandirat with filters and orders */
#include <dirent.h>

#include "case.h"

static int is_text(const struct dirent *e)
{
    return strstr(e->d_name, ".txt") != NULL;
}

static void show(const char *how, int n, struct dirent **list)
{
    printf("%s: %d %s\n", how, n, n < 0 ? error_name(errno) : "");
    for (int i = 0; i < n; i++) {
        printf("  %s %d\n", list[i]->d_name, list[i]->d_type);
        free(list[i]);
    }
    if (n >= 0)
        free(list);
}

int main(void)
{
    struct dirent **list = NULL;
    int (*const scan64)(const char *, struct dirent ***, void *, void *) = spelling("scandir64");
    int fd = open("data", O_RDONLY | O_DIRECTORY);

    show("by name", scandir("data/sub", &list, NULL, alphasort), list);
    show("by version", scandir("data/sub", &list, is_text, versionsort), list);
    show("scandir64", scan64("data/to-dir", &list, is_text, alphasort), list);
    show("absent", scandir("data/none", &list, NULL, alphasort), list);
    show("a file", scandir("data/file", &list, NULL, alphasort), list);
    show("dangling", scandir("data/dangling", &list, NULL, alphasort), list);
    show("closed", scandir("data/closed", &list, NULL, alphasort), list);
    show("unlisted", scandir("data/unlisted", &list, NULL, alphasort), list);
    show("empty", scandir("data/empty-dir", &list, NULL, alphasort), list);
    show("scandirat", scandirat(fd, "sub", &list, is_text, alphasort), list);
    show("scandirat absent", scandirat(fd, "none", &list, NULL, alphasort), list);
}
