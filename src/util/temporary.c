/* SPDX-License-Identifier: MIT */
/* temporary.c - a temporary file that is private until it is renamed to its final name */
#include "util/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS = 16 };

static char *random_name(const char *prefix)
{
    uint64_t number;
    char *path;

    if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
        return NULL;
    return asprintf(&path, "%s.%016llx", prefix, (unsigned long long)number) < 0 ? NULL : path;
}

int lc_temporary_open(struct lc_temporary *t, const char *prefix)
{
    *t = LC_TEMPORARY_NONE;
    for (int i = 0; i < ATTEMPTS; i++) {
        if (!(t->path = random_name(prefix)))
            return -1;
        t->fd = open(t->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (t->fd >= 0)
            return 0;
        free(t->path);
        t->path = NULL;
        if (errno != EEXIST)
            break;
    }
    return -1;
}

/* The mode of a file, or 0. Nothing else is asked for: a network file system may know the mode and
 * not the time of the last access. */
static mode_t mode_of(int fd, const char *path)
{
    struct statx st;

    return statx(fd, path, path[0] ? 0 : AT_EMPTY_PATH, STATX_TYPE | STATX_MODE, &st) == 0
               ? st.stx_mode
               : 0;
}

/* The part of a mode that the umask, and the mode of a file that is replaced, allow. */
static mode_t allowed_mode(const char *file, mode_t mode)
{
    mode_t mask = umask(077), old = mode_of(AT_FDCWD, file);

    umask(mask);
    if (S_ISREG(old))
        mode &= old | 0600;
    return mode & ~mask;
}

/* Set the file's mode, unless it has it; not an error on a file system without modes. */
static int mode_set(int fd, mode_t mode)
{
    if ((mode_of(fd, "") & 07777) == mode)
        return 0;
    return fchmod(fd, mode) < 0 && errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS ? -1
                                                                                            : 0;
}

int lc_temporary_publish_as(struct lc_temporary *t, const char *file, mode_t mode)
{
    int rc = mode_set(t->fd, mode), fd = t->fd;

    t->fd = -1;
    if (close(fd) < 0)
        rc = -1;
    if (rc == 0)
        rc = rename(t->path, file);
    if (rc == 0) {
        free(t->path);
        t->path = NULL;
    }
    lc_temporary_discard(t);
    return rc;
}

int lc_temporary_publish(struct lc_temporary *t, const char *file, mode_t mode)
{
    return lc_temporary_publish_as(t, file, allowed_mode(file, mode));
}

FILE *lc_temporary_stream(const struct lc_temporary *t)
{
    int fd = fcntl(t->fd, F_DUPFD_CLOEXEC, 0);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");

    if (!stream && fd >= 0)
        close(fd);
    return stream;
}

void lc_temporary_discard(struct lc_temporary *t)
{
    int saved = errno;

    if (t->fd >= 0)
        close(t->fd);
    if (t->path)
        unlink(t->path);
    free(t->path);
    *t = LC_TEMPORARY_NONE;
    errno = saved;
}
