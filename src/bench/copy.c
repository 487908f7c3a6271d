/* SPDX-License-Identifier: MIT */
/* copy.c - an incremental copy of a tree */
#include "bench/copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/collect.h"
#include "util/temporary.h"

static bool is_bytecode(const char *name)
{
    size_t len = strlen(name);

    return strcmp(name, "__pycache__") == 0 || (len > 4 && strcmp(name + len - 4, ".pyc") == 0);
}

static int path_join(char *out, const char *dir, const char *name, struct lc_error *err)
{
    int n = snprintf(out, PATH_MAX, "%s/%s", dir, name);

    return n >= PATH_MAX ? lc_error_set(err, "'%s/%s' is too long a path", dir, name) : 0;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path) < 0 && errno != ENOENT ? -1 : 0;
}

int lc_remove_tree(const char *dir, struct lc_error *err)
{
    if (nftw(dir, remove_one, 32, FTW_DEPTH | FTW_PHYS) < 0 && errno != ENOENT)
        return lc_error_errno(err, "cannot remove '%s'", dir);
    return 0;
}

int lc_make_dirs(const char *dir, struct lc_error *err)
{
    char path[PATH_MAX];

    if (strlen(dir) >= sizeof(path))
        return lc_error_set(err, "'%s' is too long a path", dir);
    strcpy(path, dir);
    for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return lc_error_errno(err, "cannot make '%s'", dir);
    return 0;
}

/* Times are compared in whole seconds: file systems differ in their resolution. */
static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return S_ISREG(b->st_mode) && a->st_size == b->st_size && a->st_mode == b->st_mode &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec;
}

static int copy_bytes(int in, int out)
{
    char part[1 << 16];
    ssize_t n;

    while ((n = copy_file_range(in, NULL, out, NULL, 1 << 30, 0)) > 0)
        ;
    if (n == 0)
        return 0;
    if (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
        return -1;
    while ((n = read(in, part, sizeof(part))) > 0)
        for (ssize_t done = 0, w; done < n; done += w)
            if ((w = write(out, part + done, (size_t)(n - done))) < 0)
                return -1;
    return n < 0 ? -1 : 0;
}

/* Copies to a temporary name first: an interrupted copy never has the file's name. */
static int copy_file(const char *from, const char *to, const struct stat *st, struct lc_error *err)
{
    const struct timespec times[2] = {st->st_mtim, st->st_mtim};
    struct lc_temporary part = LC_TEMPORARY_NONE;
    char prefix[PATH_MAX + 16];
    int in = open(from, O_RDONLY | O_CLOEXEC);

    if (in < 0)
        return lc_error_errno(err, "cannot open '%s'", from);
    snprintf(prefix, sizeof(prefix), "%s.part", to);
    int rc = lc_temporary_open(&part, prefix) < 0 || copy_bytes(in, part.fd) < 0 ||
                     futimens(part.fd, times) < 0
                 ? -1
                 : lc_temporary_publish_as(&part, to, st->st_mode & 07777);
    lc_temporary_discard(&part);
    int saved = errno;
    close(in);
    errno = saved;
    return rc < 0 ? lc_error_errno(err, "cannot copy '%s' to '%s'", from, to) : 0;
}

static int copy_link(const char *from, const char *to, struct lc_error *err)
{
    char want[PATH_MAX], have[PATH_MAX];
    ssize_t n = readlink(from, want, sizeof(want) - 1);
    ssize_t m = readlink(to, have, sizeof(have) - 1);

    if (n < 0)
        return lc_error_errno(err, "cannot read the link '%s'", from);
    if (n == m && memcmp(want, have, (size_t)n) == 0)
        return 0;
    want[n] = '\0';
    if ((remove(to) < 0 && errno != ENOENT) || symlink(want, to) < 0)
        return lc_error_errno(err, "cannot make the link '%s'", to);
    return 0;
}

static int copy_entry(const char *from, const char *to, bool with_bytecode, struct lc_copied *did,
                      struct lc_error *err)
{
    struct stat want, have;
    bool is_there = lstat(to, &have) == 0;

    if (lstat(from, &want) < 0)
        return lc_error_errno(err, "cannot stat '%s'", from);
    if (is_there && (want.st_mode & S_IFMT) != (have.st_mode & S_IFMT) &&
        lc_remove_tree(to, err) < 0)
        return -1;
    if (S_ISDIR(want.st_mode))
        return lc_copy_tree(from, to, with_bytecode, NULL, did, err);
    if (S_ISLNK(want.st_mode))
        return copy_link(from, to, err);
    if (!S_ISREG(want.st_mode))
        return 0;
    if (is_there && is_same_file(&want, &have)) {
        did->same++;
        return 0;
    }
    did->files++;
    did->bytes += (uint64_t)want.st_size;
    return copy_file(from, to, &want, err);
}

/* Removes names that the source does not have any more. */
static int remove_extra(const char *from, const char *to, const char *keep, struct lc_copied *did,
                        struct lc_error *err)
{
    char gone[PATH_MAX], source[PATH_MAX];
    struct stat st;
    DIR *dir = opendir(to);
    int rc = 0;

    if (!dir)
        return lc_error_errno(err, "cannot list '%s'", to);
    for (struct dirent *e; rc == 0 && (e = readdir(dir));) {
        if (is_dots(e->d_name) || is_bytecode(e->d_name) || (keep && strcmp(e->d_name, keep) == 0))
            continue;
        if (path_join(gone, to, e->d_name, err) < 0 || path_join(source, from, e->d_name, err) < 0)
            rc = -1;
        else if (lstat(source, &st) < 0 && errno == ENOENT) {
            did->removed++;
            rc = lc_remove_tree(gone, err);
        }
    }
    closedir(dir);
    return rc;
}

int lc_copy_tree(const char *from, const char *to, bool with_bytecode, const char *keep,
                 struct lc_copied *did, struct lc_error *err)
{
    char a[PATH_MAX], b[PATH_MAX];
    DIR *dir = opendir(from);
    int rc = 0;

    if (!dir)
        return lc_error_errno(err, "cannot list '%s'", from);
    if (mkdir(to, 0777) < 0 && errno != EEXIST)
        rc = lc_error_errno(err, "cannot make '%s'", to);
    for (struct dirent *e; rc == 0 && (e = readdir(dir));) {
        if (is_dots(e->d_name) || (!with_bytecode && is_bytecode(e->d_name)))
            continue;
        if (lc_interrupted())
            rc = lc_error_set(err, "interrupted while copying to '%s'", to);
        else if (path_join(a, from, e->d_name, err) < 0 || path_join(b, to, e->d_name, err) < 0 ||
                 copy_entry(a, b, with_bytecode, did, err) < 0)
            rc = -1;
    }
    closedir(dir);
    return rc == 0 ? remove_extra(from, to, keep, did, err) : -1;
}
