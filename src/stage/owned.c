/* SPDX-License-Identifier: MIT */
/* owned.c - directories in shared temporary space that belong to this user alone */
#include "stage/owned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LC_OVERFLOW_UID = 65534 }; /* linux/highuid.h */
enum {
    DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
    STEP = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, /* it need not be readable */
};

/* A user namespace that does not know root shows root's files with the same owner as those of any
 * other unknown user. "/" is root's whatever owner it shows, and so are these, which only root can
 * have made. */
static bool path_is_system(const char *path)
{
    static const char *const own[] = {"/", "/dev", "/dev/shm", "/tmp", "/var", "/var/tmp"};

    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        if (strcmp(path, own[i]) == 0)
            return true;
    return false;
}

/* Does the user namespace know this user? If not, his number is that of all unknown users. */
static bool user_is_known(void)
{
    unsigned long first = 0, outside = 0, count = 0;
    FILE *f = geteuid() == LC_OVERFLOW_UID ? fopen("/proc/self/uid_map", "re") : NULL;
    bool known = geteuid() != LC_OVERFLOW_UID;

    if (f && fscanf(f, "%lu %lu %lu", &first, &outside, &count) == 3)
        known = first == 0 && count == UINT32_MAX;
    if (f)
        fclose(f);
    return known;
}

/* Can another user rename or replace things in the directory 'fd'? 'root' is the owner of "/". */
static int step_check(int fd, const char *path, uid_t root, struct lc_error *err)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return lc_error_errno(err, "cannot use '%s'", path);
    errno = EPERM;
    if (st.st_uid != 0 && st.st_uid != geteuid() && !(st.st_uid == root && path_is_system(path)))
        return lc_error_set(err, "'%s' belongs to another user (%u)", path, (unsigned)st.st_uid);
    if ((st.st_mode & 022) && !(st.st_mode & S_ISVTX))
        return lc_error_set(err, "others may rename what is in '%s' (mode %04o, not sticky)", path,
                            (unsigned)st.st_mode & 07777);
    return 0;
}

/* Open and judge the directory 'name' below 'at', which is closed. 'path' is the path so far. */
static int step_open(int at, const char *name, const char *path, uid_t root, struct lc_error *err)
{
    int fd = openat(at, name, STEP);

    if (fd < 0)
        lc_error_errno(err, "cannot use '%s'", path);
    int saved = errno;
    if (at >= 0)
        close(at);
    errno = saved;
    if (fd < 0 || step_check(fd, path, root, err) == 0)
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

int lc_owned_open_path(const char *path, struct lc_error *err)
{
    char step[PATH_MAX];
    struct stat st;
    size_t len = strlen(path);

    if (path[0] != '/' || len >= sizeof(step)) {
        errno = ENAMETOOLONG;
        return lc_error_errno(err, "cannot use '%s'", path);
    }
    if (!user_is_known()) {
        errno = EPERM;
        return lc_error_set(err, "this user namespace does not tell its users apart");
    }
    if (stat("/", &st) < 0)
        return lc_error_errno(err, "cannot use '/'");
    int fd = step_open(AT_FDCWD, "/", "/", st.st_uid, err);
    strcpy(step, path);
    for (size_t i = 1; fd >= 0 && i < len; i++) {
        size_t n = strcspn(path + i, "/");
        step[i + n] = '\0';
        fd = step_open(fd, step + i, step, st.st_uid, err);
        step[i + n] = '/';
        i += n;
    }
    return fd;
}

static int directory_check(int fd, const char *where, struct lc_error *err)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return lc_error_errno(err, "cannot use '%s'", where);
    errno = EPERM;
    if (st.st_uid != geteuid())
        return lc_error_set(err, "'%s' belongs to another user (%u)", where, (unsigned)st.st_uid);
    if (st.st_mode & 077)
        return lc_error_set(err, "'%s' is open to others (mode %04o)", where,
                            (unsigned)st.st_mode & 07777);
    return 0;
}

int lc_owned_open(int at, const char *name, bool make, const char *where, struct lc_error *err)
{
    bool made = make && mkdirat(at, name, 0700) == 0;

    if (make && !made && errno != EEXIST)
        return lc_error_errno(err, "cannot make '%s'", where);
    int fd = openat(at, name, DIRECTORY);
    if (fd < 0 && (errno == ELOOP || errno == ENOTDIR)) {
        errno = EPERM;
        return lc_error_set(err, "'%s' is not a directory but something that was put there", where);
    }
    if (fd < 0)
        return lc_error_errno(err, "cannot open '%s'", where);
    if (directory_check(fd, where, err) == 0) {
        if (made)
            fchmod(fd, 0700); /* whatever the umask is */
        return fd;
    }
    close(fd);
    errno = EPERM;
    return -1;
}

static bool name_is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Remove everything in the directory 'fd', which is closed. */
static int directory_empty(int fd)
{
    DIR *d = fdopendir(fd);
    int rc = 0;

    if (!d) {
        close(fd);
        return -1;
    }
    for (struct dirent *e; (e = readdir(d));)
        if (!name_is_dots(e->d_name) && lc_owned_remove(dirfd(d), e->d_name) < 0)
            rc = -1;
    int saved = errno;
    closedir(d);
    errno = saved;
    return rc;
}

int lc_owned_remove(int at, const char *name)
{
    if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
        return 0;
    int fd = openat(at, name, DIRECTORY);
    if (fd < 0)
        return -1;
    fchmod(fd, 0700);
    if (directory_empty(fd) < 0)
        return -1;
    return unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : -1;
}

unsigned long long lc_owned_bytes(int at, const char *name)
{
    unsigned long long sum = 0;
    struct stat st;
    int fd = openat(at, name, DIRECTORY);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);

    if (!d) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
    for (struct dirent *e; (e = readdir(d));) {
        if (name_is_dots(e->d_name) || fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (S_ISDIR(st.st_mode))
            sum += lc_owned_bytes(fd, e->d_name);
        else
            sum += (unsigned long long)st.st_blocks * 512 / (st.st_nlink ? st.st_nlink : 1);
    }
    closedir(d);
    return sum;
}
