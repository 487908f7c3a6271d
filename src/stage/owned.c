/* SPDX-License-Identifier: MIT */
/* owned.c - directories in shared temporary space that are nobody's but ours */
#include "stage/owned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* In a user namespace that does not know root, root's files show the overflow user. */
static bool is_root_hidden(uid_t uid)
{
    unsigned long overflow = 0, first, count;
    bool has_root = false;
    FILE *f = fopen("/proc/sys/kernel/overflowuid", "re");

    if (f && fscanf(f, "%lu", &overflow) != 1)
        overflow = 0;
    if (f)
        fclose(f);
    if (overflow == 0 || uid != overflow || !(f = fopen("/proc/self/uid_map", "re")))
        return false;
    while (fscanf(f, "%*u %lu %lu", &first, &count) == 2)
        has_root = has_root || first == 0;
    fclose(f);
    return !has_root;
}

static int check_step(const char *path, struct lc_error *err)
{
    struct stat st;

    if (lstat(path, &st) < 0)
        return lc_error_errno(err, "cannot use '%s'", path);
    if (!S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return lc_error_errno(err, "cannot use '%s'", path);
    }
    errno = EPERM;
    if (st.st_uid != 0 && st.st_uid != geteuid() && !is_root_hidden(st.st_uid))
        return lc_error_set(err, "'%s' belongs to another user (%u)", path, (unsigned)st.st_uid);
    if ((st.st_mode & 022) && !(st.st_mode & S_ISVTX))
        return lc_error_set(err, "others may rename what is in '%s' (mode %04o, not sticky)", path,
                            (unsigned)st.st_mode & 07777);
    return 0;
}

int lc_owned_check_way(const char *path, struct lc_error *err)
{
    char step[PATH_MAX];

    if (strlen(path) >= sizeof(step)) {
        errno = ENAMETOOLONG;
        return lc_error_errno(err, "cannot use '%s'", path);
    }
    strcpy(step, path);
    while (check_step(step, err) == 0) {
        char *slash = strrchr(step, '/');
        if (!slash || strcmp(step, "/") == 0)
            return 0;
        slash[slash == step] = '\0';
    }
    return -1;
}

static int check_owned(int fd, const char *where, struct lc_error *err)
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
    if (check_owned(fd, where, err) == 0) {
        if (made)
            fchmod(fd, 0700); /* whatever the umask said */
        return fd;
    }
    close(fd);
    errno = EPERM;
    return -1;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Everything in the directory 'fd', which is closed. */
static int remove_all_in(int fd)
{
    DIR *d = fdopendir(fd);
    int rc = 0;

    if (!d) {
        close(fd);
        return -1;
    }
    for (struct dirent *e; (e = readdir(d));)
        if (!is_dots(e->d_name) && lc_owned_remove(dirfd(d), e->d_name) < 0)
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
    if (remove_all_in(fd) < 0)
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
        if (is_dots(e->d_name) || fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (S_ISDIR(st.st_mode))
            sum += lc_owned_bytes(fd, e->d_name);
        else
            sum += (unsigned long long)st.st_blocks * 512 / (st.st_nlink ? st.st_nlink : 1);
    }
    closedir(d);
    return sum;
}
