/* SPDX-License-Identifier: MIT */
/* opendir.c - listings of every place, by readdir, readdir64 and readdir_r */
#include <dirent.h>

#include "case.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void show_sorted(char **line, int n)
{
    qsort(line, (size_t)n, sizeof(*line), by_text);
    for (int i = 0; i < n; i++) {
        printf("  %s\n", line[i]);
        free(line[i]);
    }
}

static int take(char **line, int n, const char *name, int type)
{
    if (asprintf(&line[n], "%s type %d", name, type) < 0)
        exit(9);
    return n + 1;
}

static void list(const char *what, const char *path, int way)
{
    struct dirent *(*const next64)(DIR *) = spelling("readdir64");
    DIR *d = opendir(path);
    char *line[200];
    int n = 0;
    struct dirent *e, room;

    printf("%s: %s\n", what, d ? "open" : error_name(errno));
    if (!d)
        return;
    errno = 0;
    if (way == 0)
        while ((e = readdir(d)))
            n = take(line, n, e->d_name, e->d_type);
    else if (way == 1)
        while ((e = next64(d)))
            n = take(line, n, e->d_name, e->d_type);
    else
        while (readdir_r(d, &room, &e) == 0 && e)
            n = take(line, n, e->d_name, e->d_type);
    printf("  end: %s, closed %d\n", error_name(errno), closedir(d));
    show_sorted(line, n);
}

int main(int argc, char **argv)
{
    (void)argc;
    name_places(argv[1]);
    for (int i = 0; i < n_places; i++) {
        if (strcmp(places[i].what, "..") == 0 || strncmp(places[i].what, "/", 2) == 0 ||
            strcmp(places[i].what, "//") == 0)
            continue; /* others may change these meanwhile */
        for (int way = 0; way < 3; way++)
            list(places[i].what, places[i].path, way);
    }
}
