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

/* A descriptor, or -1 with errno; 'path' is what was reached. */
static int open_reached(char path[PATH_MAX])
{
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, step = 1;

    for (int i = 0; i < LINKS && step == 1; i++)
        step = take_step(path, &flags);
    if (step == 1)
        errno = ELOOP;
    return step == 0 ? open(path, flags, 0666) : -1;
}

FILE *lc_in_place_open(const char *file, const char *what, struct lc_error *err)
{
    char path[PATH_MAX];
    int fd = -1;

    if ((size_t)snprintf(path, sizeof(path), "%s", file) >= sizeof(path))
        errno = ENAMETOOLONG;
    else
        fd = open_reached(path);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");
    if (stream)
        return stream;
    if (errno == ELINK)
        lc_error_set(err, "cannot write %s'%s': '%s' is a link of another user", what, file, path);
    else
        lc_error_errno(err, "cannot write %s'%s'", what, file);
    if (fd >= 0)
        close(fd);
    return NULL;
}
