/* SPDX-License-Identifier: MIT */
/* scandir.c - scandir, scandir64 and scandirat with filters and orders */
#include <dirent.h>

#include "case.h"

static int is_text(const struct dirent *e)
{
    return strstr(e->d_name, ".txt") != NULL;
}

static struct dirent **list;

static void show(const char *how, int n)
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
    int (*const scan64)(const char *, struct dirent ***, void *, void *) = spelling("scandir64");
    int fd = open("data", O_RDONLY | O_DIRECTORY);

    show("by name", scandir("data/sub", &list, NULL, alphasort));
    show("by version", scandir("data/sub", &list, is_text, versionsort));
    show("scandir64", scan64("data/to-dir", &list, is_text, alphasort));
    show("absent", scandir("data/none", &list, NULL, alphasort));
    show("a file", scandir("data/file", &list, NULL, alphasort));
    show("dangling", scandir("data/dangling", &list, NULL, alphasort));
    show("closed", scandir("data/closed", &list, NULL, alphasort));
    show("unlisted", scandir("data/unlisted", &list, NULL, alphasort));
    show("empty", scandir("data/empty-dir", &list, NULL, alphasort));
    show("scandirat", scandirat(fd, "sub", &list, is_text, alphasort));
    show("scandirat absent", scandirat(fd, "none", &list, NULL, alphasort));
}
