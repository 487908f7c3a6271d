/* SPDX-License-Identifier: MIT */
/* checks.c - checks before mounting: the source, the mount point, FUSE itself */
#include "stormfs/checks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stormfs/control.h"
#include "stormfs/mount.h"
#include "stormfs/mountinfo.h"
#include "util/path.h"

int lc_source_check(const char *path, char *out, size_t size, struct lc_error *err)
{
    char real[PATH_MAX];
    int fd =
        open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* only to learn whether it can be read */

    if (fd < 0)
        return lc_error_errno(err, "cannot read the source '%s'", path);
    close(fd);
    if (access(path, X_OK) < 0)
        return lc_error_errno(err, "cannot look into the source '%s'", path);
    if (!realpath(path, real) || snprintf(out, size, "%s", real) >= (int)size)
        return lc_error_errno(err, "cannot find the source '%s'", path);
    fd = open(real, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return lc_error_errno(err, "cannot open the source '%s'", path);
    return fd;
}

/* Something is mounted on the mount point. Unmounts it if it is a stormfs whose process has
 * crashed; anything else is an error. */
static int dead_mount_clear(const char *path, const struct lc_mountinfo *info, struct lc_error *err)
{
    struct stat st;

    if (strcmp(info->type, "fuse.stormfs") != 0)
        return lc_error_set(err, "'%s' is busy: a file system of type %s is mounted on it", path,
                            info->type);
    if (lc_control_is_alive(path) || stat(path, &st) == 0 || errno != ENOTCONN)
        return lc_error_set(err,
                            "'%s' is busy: a stormfs is mounted on it; end it with 'stormfs ctl "
                            "%s stop'",
                            path, path);
    if (lc_mount_detach(path) < 0)
        return lc_error_set(err, "cannot clear the mount that a crashed stormfs left on '%s'",
                            path);
    return 0;
}

static int directory_check_empty(const char *path, struct lc_error *err)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    bool empty = true;

    if (!dir)
        return lc_error_errno(err, "cannot use the mount point '%s'", path);
    while (empty && (entry = readdir(dir)))
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(dir);
    return empty ? 0 : lc_error_set(err, "the mount point '%s' is not empty", path);
}

int lc_mount_point_check(const char *path, const char *source, char *out, size_t size,
                         struct lc_error *err)
{
    struct lc_mountinfo info;

    if (lc_mountinfo_path(out, size, path) < 0)
        return lc_error_errno(err, "cannot use the mount point '%s'", path);
    if (lc_path_is_under(out, source))
        return lc_error_set(err, "the mount point '%s' is inside the source '%s'", path, source);
    while (lc_mountinfo_find(out, &info))
        if (dead_mount_clear(out, &info, err) < 0)
            return -1;
    return directory_check_empty(out, err);
}

static int fusermount_check(struct lc_error *err)
{
    char program[PATH_MAX];

    if (geteuid() == 0 || access("/usr/bin/fusermount3", X_OK) == 0 ||
        lc_path_find_program(program, sizeof(program), "fusermount3", NULL) == 0)
        return 0;
    return lc_error_set(err, "cannot mount without root: fusermount3 is not installed (Debian: "
                             "fuse3)");
}

int lc_fuse_check(struct lc_error *err)
{
    int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

    if (fd < 0)
        return lc_error_errno(err, "cannot mount: cannot open /dev/fuse");
    close(fd);
    return fusermount_check(err);
}
