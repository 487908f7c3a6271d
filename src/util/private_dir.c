/* SPDX-License-Identifier: MIT */
/* private_dir.c - a directory that only this user can access */
#include "util/private_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int lc_private_dir_make(const char *dir, const char *hint, struct lc_error *err)
{
    struct stat st;

    if (mkdir(dir, 0700) < 0 && errno != EEXIST)
        return lc_error_errno(err, "cannot make '%s'; %s", dir, hint);
    if (lstat(dir, &st) < 0)
        return lc_error_errno(err, "cannot use '%s'; %s", dir, hint);
    if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 077))
        return 0;
    errno = EPERM;
    return lc_error_set(err, "will not use '%s': it is not a private directory of yours (0700); %s",
                        dir, hint);
}
