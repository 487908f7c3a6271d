/* SPDX-License-Identifier: MIT */
/* add_pattern.c - paths and shell patterns that the user gives by --add */
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

static int is_real_name(const struct dirent *d)
{
    return strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
}

static int add_tree(struct lc_seen *seen, const char *path);

static int add_child(struct lc_seen *seen, const char *dir, const char *name)
{
    char *path = malloc(PATH_MAX); /* not on the stack: one call per directory level */
    int n = path ? snprintf(path, PATH_MAX, "%s/%s", dir[1] ? dir : "", name) : -1;
    int rc = !path ? -1 : (n < PATH_MAX ? add_tree(seen, path) : 0);

    free(path);
    return rc;
}

/* Adds a path, and if it is a directory everything below it. Symbolic links are recorded but not
 * followed. Paths longer than PATH_MAX are left out: no program can open them in one call. */
static int add_tree(struct lc_seen *seen, const char *path)
{
    struct stat st;

    if (lstat(path, &st) < 0)
        return 0;
    if (!S_ISDIR(st.st_mode))
        return lc_seen_add(seen, path, LC_USE_ASKED);
    if (lc_seen_add(seen, path, LC_USE_ASKED | LC_USE_LIST) < 0)
        return -1;
    /* Read all names before descending, so that a deep tree does not hold one descriptor per level.
     */
    struct dirent **names = NULL;
    int count = scandir(path, &names, is_real_name, NULL), rc = 0;
    for (int i = 0; i < count; i++) {
        if (rc == 0)
            rc = add_child(seen, path, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    return rc;
}

int lc_seen_add_pattern(struct lc_seen *seen, const char *pattern, struct lc_error *err)
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
                 add_tree(seen, path) < 0)
            rc = lc_error_errno(err, "--add '%s'", pattern);
    }
    globfree(&found);
    return rc;
}
