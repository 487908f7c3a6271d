/* SPDX-License-Identifier: MIT */
/* devs.c - which st_dev does a mount have on this node? */
#include "stage/devs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "util/path.h"

/* The number that stat() gives. */
static uint64_t device(unsigned major_number, unsigned minor_number, const char *tail,
                       const char *point)
{
    struct stat st;

    if (strncmp(tail, " - btrfs ", 9) == 0 && stat(point, &st) == 0)
        return st.st_dev;
    return makedev(major_number, minor_number);
}

/* "ID PARENT MAJ:MIN ROOT POINT OPTIONS [...] - TYPE SOURCE OPTIONS". Of several mounts at one
 * point the last covers the others; of several above a point the deepest counts. */
static void use_line(const struct lc_look *look, char *line, uint64_t *dev, size_t *depth)
{
    unsigned major_number, minor_number;
    int at = 0;
    char *tail = strstr(line, " - ");

    if (!tail || sscanf(line, "%*d %*d %u:%u %*s %n", &major_number, &minor_number, &at) != 2 ||
        !at)
        return;
    char *point = line + at, *end = strchr(point, ' ');
    if (!end || end > tail)
        return;
    *end = '\0';
    lc_path_undo_octal(point);
    size_t len = strlen(point);
    for (uint32_t i = 0; i < look->mounts; i++)
        if (len >= depth[i] && lc_path_is_under(lc_look_name(look, look->mount[i].point), point)) {
            depth[i] = len;
            dev[i] = device(major_number, minor_number, tail, point);
        }
}

int lc_devs_find(const struct lc_look *look, uint64_t *dev)
{
    size_t *depth = calloc(look->mounts + 1u, sizeof(*depth)), room = 0;
    FILE *f = depth ? fopen("/proc/self/mountinfo", "re") : NULL;
    char *line = NULL;

    if (!f) {
        free(depth);
        return -1;
    }
    while (getline(&line, &room, f) > 0)
        use_line(look, line, dev, depth);
    fclose(f);
    free(line);
    free(depth);
    return 0;
}
