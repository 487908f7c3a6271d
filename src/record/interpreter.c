/* SPDX-License-Identifier: MIT */
/* interpreter.c - find the Python interpreter that an image names, if it can be trusted */
#include "record/interpreter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/read_path.h"
#include "record/provenance.h"
#include "util/path.h"

/* Is the group the user's private group (same number as the user)? Then group write permission, as
 * by umask 002, gives nobody else access. Not with an access control list: there the group bits of
 * the mode are the upper limit of all its entries. */
static bool is_own_group(const char *path, const struct stat *st)
{
    return st->st_uid == geteuid() && st->st_gid == getegid() && getegid() == geteuid() &&
           !lc_path_has_acl(path);
}

static bool is_writable_by_others(const char *path, const struct stat *st)
{
    return (st->st_mode & S_IWOTH) || ((st->st_mode & S_IWGRP) && !is_own_group(path, st));
}

/* Can others not replace the entry 'st' of the directory? In a sticky directory (/tmp) they cannot
 * if it belongs to this user or root. */
static bool is_safe_in(const char *path, const struct stat *dir, const struct stat *st)
{
    return !is_writable_by_others(path, dir) ||
           ((dir->st_mode & S_ISVTX) && (st->st_uid == geteuid() || st->st_uid == 0));
}

/* Checks the file and each directory above it. 'path' has no symbolic links. */
static int path_check_trusted(const char *path, struct lc_error *err)
{
    char step[PATH_MAX];
    struct stat st, dir;

    snprintf(step, sizeof(step), "%s", path);
    if (lstat(step, &st) < 0)
        return lc_error_errno(err, "cannot start '%s'", path);
    if (is_writable_by_others(step, &st))
        return lc_error_set(err, "will not start '%s': others may write to it", path);
    while (step[1]) {
        step[lc_path_dir_len(step)] = '\0';
        if (lstat(step, &dir) < 0)
            return lc_error_errno(err, "cannot start '%s'", path);
        if (!is_safe_in(step, &dir, &st))
            return lc_error_set(err, "will not start '%s': others may write to '%s'", path, step);
        st = dir;
    }
    return 0;
}

int lc_interpreter_find(const struct lc_image *image, const char *tag, char out[PATH_MAX],
                        struct lc_error *err)
{
    char *named = lc_provenance_python(image, tag);
    int rc = 0;

    if (!named)
        rc = lc_error_set(err, "no interpreter for %s bytecode is recorded", tag);
    else if (lc_image_is_foreign(image))
        rc = lc_error_set(err, "will not start '%s': another user's image names it", named);
    else if (!realpath(named, out))
        rc = lc_error_errno(err, "cannot start '%s'", named);
    if (rc == 0)
        rc = path_check_trusted(out, err);
    free(named);
    return rc;
}
