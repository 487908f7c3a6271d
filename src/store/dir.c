/* SPDX-License-Identifier: MIT */
/* dir.c - the directory of the user's store */
#include "store/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/io.h"
#include "util/path.h"
#include "util/temporary.h"

int lc_store_dir_name(char out[PATH_MAX], struct lc_error *err)
{
    const char *own = getenv("LOADCAST_STORE"), *cache = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    char here[PATH_MAX] = "/";
    int n = 0;

    if (own && *own && (own[0] == '/' || getcwd(here, sizeof(here))))
        return lc_path_absolute(out, PATH_MAX, here, own) == 0
                   ? 0
                   : lc_error_errno(err, "cannot use the store '%s'", own);
    if (cache && cache[0] == '/') /* the XDG rules: a relative one is to be ignored */
        n = snprintf(out, PATH_MAX, "%s/loadcast", cache);
    else if (home && home[0] == '/')
        n = snprintf(out, PATH_MAX, "%s/.cache/loadcast", home);
    if (n > 0 && n < PATH_MAX)
        return 0;
    errno = n ? ENAMETOOLONG : ENOENT;
    return lc_error_set(err, "there is no place for a store of images: set LOADCAST_STORE or HOME");
}

/* Make the directory, and the one above it. */
static int dir_make(const char *path)
{
    char above[PATH_MAX];

    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return 0;
    if (errno != ENOENT)
        return -1;
    snprintf(above, sizeof(above), "%.*s", (int)lc_path_dir_len(path), path);
    return mkdir(above, 0700) < 0 && errno != EEXIST ? -1 : mkdir(path, 0700);
}

static int dir_open(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int dir_verify(const struct lc_store_dir *dir, struct lc_error *err)
{
    struct stat st;

    if (fstat(dir->fd, &st) < 0)
        return lc_error_errno(err, "cannot use the store '%s'", dir->path);
    if (st.st_uid == geteuid() && !(st.st_mode & 077))
        return 0;
    errno = EPERM;
    return lc_error_set(err, "will not use the store '%s': it is not a private directory of yours",
                        dir->path);
}

int lc_store_dir_open(struct lc_store_dir *dir, bool make, struct lc_error *err)
{
    *dir = LC_STORE_DIR_NONE;
    if (lc_store_dir_name(dir->path, err) < 0)
        return -1;
    dir->fd = dir_open(dir->path);
    if (dir->fd < 0 && errno == ENOENT && make && dir_make(dir->path) == 0)
        dir->fd = dir_open(dir->path);
    if (dir->fd < 0)
        return lc_error_errno(err, "cannot use the store '%s'", dir->path);
    if (dir_verify(dir, err) == 0)
        return 0;
    lc_store_dir_close(dir);
    return -1;
}

void lc_store_dir_close(struct lc_store_dir *dir)
{
    int saved = errno;

    if (dir->fd >= 0)
        close(dir->fd);
    dir->fd = -1;
    errno = saved;
}

/* By descriptor: what was verified is used, whatever stands at its path now. */
static void name_below(char out[PATH_MAX], const struct lc_store_dir *dir, const char *before,
                       const char *name)
{
    snprintf(out, PATH_MAX, "/proc/self/fd/%d/%s%s", dir->fd, before, name);
}

int lc_store_dir_put(const struct lc_store_dir *dir, const char *name, const void *bytes,
                     size_t len)
{
    char prefix[PATH_MAX], file[PATH_MAX];
    struct lc_temporary fresh;

    name_below(prefix, dir, LC_STORE_TEMPORARY, name);
    name_below(file, dir, "", name);
    if (lc_temporary_open(&fresh, prefix) < 0)
        return -1;
    if (lc_write_all(fresh.fd, bytes, len) == 0)
        return lc_temporary_publish_as(&fresh, file, 0600);
    lc_temporary_discard(&fresh);
    return -1;
}

ssize_t lc_store_dir_get(const struct lc_store_dir *dir, const char *name, char *out, size_t size)
{
    int fd = openat(dir->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : lc_read_at(fd, out, size, 0);
    int saved = errno;

    if (fd >= 0)
        close(fd);
    errno = n == (ssize_t)size ? EFBIG : saved;
    if (n < 0 || n == (ssize_t)size)
        return -1;
    out[n] = '\0';
    return n;
}
