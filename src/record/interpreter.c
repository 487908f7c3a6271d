/* SPDX-License-Identifier: MIT */
/* interpreter.c - may the Python that an image names be started? */
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

/* A group of which this user is the only member, as most systems give to each: his umask may be
 * 002. With an access control list the group's rights in the mode are the most that anybody has.
 */
static bool is_own_group(const char *path, const struct stat *st)
{
    return st->st_uid == geteuid() && st->st_gid == getegid() && getegid() == geteuid() &&
           !lc_path_has_acl(path);
}

static bool is_writable_by_others(const char *path, const struct stat *st)
{
    return (st->st_mode & S_IWOTH) || ((st->st_mode & S_IWGRP) && !is_own_group(path, st));
}

/* In a directory like /tmp others cannot touch what is ours or root's, but make what is not there.
 */
static bool is_safe_in(const char *path, const struct stat *dir, const struct stat *st)
{
    return !is_writable_by_others(path, dir) ||
           ((dir->st_mode & S_ISVTX) && (st->st_uid == geteuid() || st->st_uid == 0));
}

/* 'path' has no links. */
static int judge_way(const char *path, struct lc_error *err)
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
        rc = judge_way(out, err);
    free(named);
    return rc;
}
