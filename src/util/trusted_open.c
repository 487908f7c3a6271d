/* SPDX-License-Identifier: MIT */
/* trusted_open.c - open a file or directory for writing, following only links of trusted users
 *
 * Each link is opened once, and checked and read through that descriptor, so that it cannot be
 * replaced between the check and the use. */
#include "util/trusted_open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "util/path.h"

enum {
    LINKS = 16,
    ELINK = EMLINK /* our own error code: open() never fails with EMLINK */
};

/* Is it a name like /dev/stdout? Such links are trusted, because their owner may be unknown in a
 * user namespace. */
static bool is_device_name(const char *file)
{
    return strncmp(file, "/dev/", 5) == 0 && !strchr(file + 5, '/');
}

/* Is it a link in /proc to an open file? The text of such a link need not be a path; only the
 * kernel can follow it. */
static bool is_proc_link(int link)
{
    struct statfs fs;

    return fstatfs(link, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* Replace 'file', which is the link opened as 'link', by the path that the link leads to. 0, or -1
 * with errno. */
static int link_follow(int link, char file[PATH_MAX])
{
    char target[PATH_MAX];
    ssize_t n = readlinkat(link, "", target, sizeof(target));
    size_t dir = lc_path_dir_len(file);

    if (n < 0)
        return -1;
    dir = n > 0 && target[0] == '/' ? 0 : dir && file[dir] == '/' ? dir + 1 : dir;
    if (dir + (size_t)n >= PATH_MAX)
        return errno = ENAMETOOLONG, -1;
    memcpy(file + dir, target, (size_t)n);
    file[dir + (size_t)n] = '\0';
    return 0;
}

/* Follow one link. 1: 'file' is now the link's target; 0: 'file' is not a link, or one that open()
 * shall follow itself; -1 with errno (ELINK: the link belongs to another user). */
static int link_step(char file[PATH_MAX], int *flags)
{
    struct stat st;
    int fd = open(file, O_PATH | O_NOFOLLOW | O_CLOEXEC), rc = -1;

    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    if (fstat(fd, &st) == 0 && !S_ISLNK(st.st_mode))
        rc = 0;
    else if (is_proc_link(fd))
        rc = (*flags &= ~O_NOFOLLOW, 0);
    else if (st.st_uid != geteuid() && st.st_uid != 0 && !is_device_name(file))
        errno = ELINK;
    else
        rc = link_follow(fd, file) < 0 ? -1 : 1;
    int saved = errno;
    close(fd);
    errno = saved;
    return rc;
}

/* Follow all links in the last component of 'path'; 'flags' are the flags to open the result with.
 * 0, or -1 with errno. */
static int links_resolve(char path[PATH_MAX], int *flags)
{
    int step = 1;

    for (int i = 0; i < LINKS && step == 1; i++)
        step = link_step(path, flags);
    if (step == 1)
        errno = ELOOP;
    return step == 0 ? 0 : -1;
}

/* Open what 'file' leads to. A descriptor, or -1 with err filled ("cannot WHAT'FILE'"). */
static int open_resolved(const char *file, int flags, const char *what, struct lc_error *err)
{
    char path[PATH_MAX];
    size_t len = strlen(file);
    int fd = -1;

    /* With a slash at the end, the kernel would follow a link without our check. */
    while (len > 1 && file[len - 1] == '/')
        len--;
    if (len >= sizeof(path)) {
        errno = ENAMETOOLONG;
    } else {
        memcpy(path, file, len);
        path[len] = '\0';
        fd = links_resolve(path, &flags) < 0 ? -1 : open(path, flags, 0666);
    }
    if (fd < 0 && errno == ELINK)
        lc_error_set(err, "cannot %s'%s': '%s' is a link of another user", what, file, path);
    else if (fd < 0)
        lc_error_errno(err, "cannot %s'%s'", what, file);
    return fd;
}

FILE *lc_trusted_open(const char *file, const char *what, struct lc_error *err)
{
    int fd = open_resolved(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, what, err);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");

    if (fd >= 0 && !stream) {
        lc_error_errno(err, "cannot %s'%s'", what, file);
        close(fd);
    }
    return stream;
}

int lc_trusted_open_dir(const char *dir, const char *what, struct lc_error *err)
{
    return open_resolved(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, what, err);
}
