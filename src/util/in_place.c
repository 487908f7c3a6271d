/* SPDX-License-Identifier: MIT */
/* in_place.c - open what stands under a name, to write to it
 *
 * Each link is opened, judged and read by one descriptor: its name may lead elsewhere meanwhile. */
#include "util/in_place.h"

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
    ELINK = EMLINK /* no open fails with it */
};

/* /dev/stdout: a user namespace may not know its owner. */
static bool is_device_name(const char *file)
{
    return strncmp(file, "/dev/", 5) == 0 && !strchr(file + 5, '/');
}

/* The kernel's own links to what is open lead nowhere by their text. */
static bool is_of_kernel(int link)
{
    struct statfs fs;

    return fstatfs(link, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* The path that a link in 'file' leads to, in its place. 0, or -1 with errno. */
static int follow(int link, char file[PATH_MAX])
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

/* 1: 'file' is now what the link led to; 0: it is no link to be followed; -1 with errno, ELINK: it
 * is somebody else's. */
static int take_step(char file[PATH_MAX], int *flags)
{
    struct stat st;
    int fd = open(file, O_PATH | O_NOFOLLOW | O_CLOEXEC), rc = -1;

    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    if (fstat(fd, &st) == 0 && !S_ISLNK(st.st_mode))
        rc = 0;
    else if (is_of_kernel(fd))
        rc = (*flags &= ~O_NOFOLLOW, 0);
    else if (st.st_uid != geteuid() && st.st_uid != 0 && !is_device_name(file))
        errno = ELINK;
    else
        rc = follow(fd, file) < 0 ? -1 : 1;
    int saved = errno;
    close(fd);
    errno = saved;
    return rc;
}

/* Follow all links in 'path', of which 'flags' is how to open what is reached. 0, or -1 with errno.
 */
static int reach(char path[PATH_MAX], int *flags)
{
    int step = 1;

    for (int i = 0; i < LINKS && step == 1; i++)
        step = take_step(path, flags);
    if (step == 1)
        errno = ELOOP;
    return step == 0 ? 0 : -1;
}

/* A descriptor, or -1 with err filled: "cannot DO 'FILE'". */
static int open_reached(const char *file, int flags, const char *what, struct lc_error *err)
{
    char path[PATH_MAX];
    size_t len = strlen(file);
    int fd = -1;

    /* With a slash at its end, a link would be followed unseen. */
    while (len > 1 && file[len - 1] == '/')
        len--;
    if (len >= sizeof(path)) {
        errno = ENAMETOOLONG;
    } else {
        memcpy(path, file, len);
        path[len] = '\0';
        fd = reach(path, &flags) < 0 ? -1 : open(path, flags, 0666);
    }
    if (fd < 0 && errno == ELINK)
        lc_error_set(err, "cannot %s'%s': '%s' is a link of another user", what, file, path);
    else if (fd < 0)
        lc_error_errno(err, "cannot %s'%s'", what, file);
    return fd;
}

FILE *lc_in_place_open(const char *file, const char *what, struct lc_error *err)
{
    int fd = open_reached(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, what, err);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");

    if (fd >= 0 && !stream) {
        lc_error_errno(err, "cannot %s'%s'", what, file);
        close(fd);
    }
    return stream;
}

int lc_in_place_open_dir(const char *dir, const char *what, struct lc_error *err)
{
    return open_reached(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, what, err);
}
