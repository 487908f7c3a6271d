/* SPDX-License-Identifier: MIT */
/* asked.c - paths and patterns that the user asks for: --add */
#include "record/pack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/path.h"

static int is_name(const struct dirent *d)
{
    return strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
}

static int add_below(struct lc_seen *seen, const char *path);

static int add_name(struct lc_seen *seen, const char *dir, const char *name)
{
    char *path = malloc(PATH_MAX); /* not on the stack: deep trees go deep here */
    int n = path ? snprintf(path, PATH_MAX, "%s/%s", dir[1] ? dir : "", name) : -1;
    int rc = !path ? -1 : (n < PATH_MAX ? add_below(seen, path) : 0);

    free(path);
    return rc;
}

/* Everything below a directory; links are noted, not entered. Paths longer than the kernel takes in
 * one piece cannot be asked for by a program either. */
static int add_below(struct lc_seen *seen, const char *path)
{
    struct stat st;

    if (lstat(path, &st) < 0)
        return 0;
    if (!S_ISDIR(st.st_mode))
        return lc_seen_add(seen, path, LC_USE_ASKED);
    if (lc_seen_add(seen, path, LC_USE_ASKED | LC_USE_LIST) < 0)
        return -1;
    /* The names first, then down: deep trees must not hold a descriptor per level. */
    struct dirent **names = NULL;
    int count = scandir(path, &names, is_name, NULL), rc = 0;
    for (int i = 0; i < count; i++) {
        if (rc == 0)
            rc = add_name(seen, path, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    return rc;
}

int lc_seen_add_asked(struct lc_seen *seen, const char *pattern, struct lc_error *err)
{
    char cwd[PATH_MAX], path[PATH_MAX];
    glob_t found;
    int rc = 0;

    if (!getcwd(cwd, sizeof(cwd)))
        return lc_error_errno(err, "--add '%s'", pattern);
    if (glob(pattern, GLOB_NOSORT | GLOB_NOMAGIC, NULL, &found) != 0)
        return lc_error_set(err, "--add '%s': no such file", pattern);
    for (size_t i = 0; i < found.gl_pathc && rc == 0; i++) {
        if (access(found.gl_pathv[i], F_OK) < 0 && errno == ENOENT && found.gl_pathc == 1)
            rc = lc_error_set(err, "--add '%s': no such file", pattern);
        else if (lc_path_absolute(path, sizeof(path), cwd, found.gl_pathv[i]) == 0 &&
                 add_below(seen, path) < 0)
            rc = lc_error_errno(err, "--add '%s'", pattern);
    }
    globfree(&found);
    return rc;
}
