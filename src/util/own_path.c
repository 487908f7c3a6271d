/* SPDX-License-Identifier: MIT */
/* own_path.c - paths of this program and of 'loadcast' */
#include "util/own_path.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int lc_own_directory(char out[PATH_MAX], struct lc_error *err)
{
    ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);

    if (n <= 0)
        return lc_error_errno(err, "cannot tell where this program lies (/proc/self/exe)");
    out[n] = '\0';
    *strrchr(out, '/') = '\0';
    return 0;
}

/* Remove the last 'count' components of a path. */
static void path_up(char *dir, int count)
{
    while (count-- > 0 && strrchr(dir, '/'))
        *strrchr(dir, '/') = '\0';
}

static bool is_program(char out[PATH_MAX], const char *dir, const char *name)
{
    return snprintf(out, PATH_MAX, "%s/%s", dir, name) < PATH_MAX && access(out, X_OK) == 0;
}

int lc_own_front(char out[PATH_MAX], struct lc_error *err)
{
    char dir[PATH_MAX];

    if (lc_own_directory(dir, err) < 0)
        return -1;
    if (is_program(out, dir, "loadcast"))
        return 0;
    path_up(dir, 2);
    if (is_program(out, dir, "bin/loadcast"))
        return 0;
    return lc_error_errno(err, "cannot execute '%s'; install Loadcast whole", out);
}
