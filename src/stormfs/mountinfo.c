/* SPDX-License-Identifier: MIT */
/* mountinfo.c - what is mounted where, from /proc/self/mountinfo */
#include "stormfs/mountinfo.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/path.h"

enum { MOST_LINKS = 40 };

/* "36 35 98:0 /root /mount options... - type source super-options" */
static bool line_parse(char *line, char **mount, struct lc_mountinfo *info)
{
    char *tail = strstr(line, " - "), *save, *word = strtok_r(line, " ", &save);

    if (!tail)
        return false;
    for (int i = 0; word && i < 4; i++)
        word = strtok_r(NULL, " ", &save);
    if (!word)
        return false;
    lc_path_undo_octal(word);
    *mount = word;
    if (sscanf(tail + 3, "%63s", info->type) != 1)
        return false;
    const char *user = strstr(tail + 3, "user_id=");
    info->user_id = user ? strtol(user + 8, NULL, 10) : -1;
    return true;
}

bool lc_mountinfo_find(const char *path, struct lc_mountinfo *out)
{
    FILE *in = fopen("/proc/self/mountinfo", "re");
    char *line = NULL, *mount;
    size_t size = 0;
    struct lc_mountinfo info;
    bool found = false;

    if (!in)
        return false;
    while (getline(&line, &size, in) > 0)
        if (line_parse(line, &mount, &info) && strcmp(mount, path) == 0) {
            *out = info;
            found = true;
        }
    free(line);
    fclose(in);
    return found;
}

/* Join, one slash in between; -1 with errno ENAMETOOLONG. */
static int path_join(char *out, size_t size, const char *dir, const char *base)
{
    int n = snprintf(out, size, "%s/%s", strcmp(dir, "/") == 0 ? "" : dir, base);

    if (n >= 0 && (size_t)n < size)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

/* out = the canonical path of the directory of 'path', and the last part of 'path' as it is.
 * Changes 'path'. */
static int dir_resolve(char *out, size_t size, char *path)
{
    char dir[PATH_MAX];
    size_t len = strlen(path);

    while (len > 1 && path[len - 1] == '/')
        path[--len] = '\0';
    char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    if (strcmp(path, ".") == 0)
        return getcwd(out, size) ? 0 : -1;
    if (!*base || strcmp(base, ".") == 0 || strcmp(base, "..") == 0) {
        if (!realpath(path, dir))
            return -1;
        return snprintf(out, size, "%s", dir) < (int)size ? 0 : -1;
    }
    if (slash)
        *slash = '\0';
    if (!realpath(!slash ? "." : *path ? path : "/", dir))
        return -1;
    return path_join(out, size, dir, base);
}

int lc_mountinfo_path(char *out, size_t size, const char *path)
{
    char work[PATH_MAX], link[PATH_MAX];

    errno = *path ? ENAMETOOLONG : ENOENT;
    if (!*path || snprintf(work, sizeof(work), "%s", path) >= (int)sizeof(work))
        return -1;
    for (int i = 0; i < MOST_LINKS; i++) {
        if (dir_resolve(out, size, work) < 0)
            return -1;
        ssize_t n = readlink(out, link, sizeof(link) - 1);
        if (n < 0)
            return 0;
        link[n] = '\0';
        char *slash = strrchr(out, '/');
        if (link[0] != '/') {
            *slash = '\0';
            if (path_join(work, sizeof(work), *out ? out : "/", link) < 0)
                return -1;
        } else {
            strcpy(work, link);
        }
    }
    errno = ELOOP;
    return -1;
}
