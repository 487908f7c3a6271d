/* SPDX-License-Identifier: MIT */
/* unpack.c - an image as a directory tree, for the curious.
 *
 * Parents come before children in an image, and no entry stands below a link, so a walk by openat
 * with O_NOFOLLOW can neither leave the directory nor fail at the length of a path. */
#include "image/image.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/path.h"

struct unpacking {
    const struct lc_image *image;
    const char *dir;
    int root;
    char **home; /* per inode: the path that holds it; hard links go there */
    struct lc_unpacked *did;
    struct lc_error *err;
};

static int fail(struct unpacking *u, const char *path)
{
    return lc_error_errno(u->err, "cannot unpack '%s' to '%s'", path, u->dir);
}

/* The directory of 'path' below the root, made as needed; an open fd or -1. */
static int open_parent(struct unpacking *u, const char *path)
{
    int at = openat(u->root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

    for (const char *p = path + 1, *slash; at >= 0 && (slash = strchr(p, '/')); p = slash + 1) {
        char name[256];
        size_t n = (size_t)(slash - p);
        if (n >= sizeof(name)) {
            close(at);
            return errno = ENAMETOOLONG, -1;
        }
        memcpy(name, p, n);
        name[n] = '\0';
        if (mkdirat(at, name, 0777) < 0 && errno != EEXIST) {
            close(at);
            return -1;
        }
        int next = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = next;
    }
    return at;
}

static int copy_content(struct unpacking *u, const struct lc_inode *inode, int fd)
{
    enum { CHUNK = 1 << 18 };
    char *buffer = malloc(CHUNK);
    int rc = buffer ? 0 : -1;

    for (uint64_t done = 0; rc == 0 && done < inode->size;) {
        size_t n = inode->size - done < CHUNK ? inode->size - done : CHUNK;
        rc = lc_image_read(u->image, inode, buffer, n, done);
        if (rc == 0 && write(fd, buffer, n) != (ssize_t)n)
            rc = -1;
        done += n;
    }
    free(buffer);
    return rc;
}

static void set_times(int fd, const struct lc_inode *inode)
{
    struct timespec times[2] = {{inode->atime, inode->atime_ns}, {inode->mtime, inode->mtime_ns}};

    if (futimens(fd, times) < 0)
        return; /* a file system without such times: not worth a failure */
}

static int unpack_file(struct unpacking *u, int parent, const char *name,
                       const struct lc_inode *inode)
{
    if (inode->data == LC_NO_CONTENT)
        return u->did->stat_only++, 0;
    int fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    int rc = copy_content(u, inode, fd);
    if (rc == 0)
        rc = fchmod(fd, inode->mode & 0777);
    set_times(fd, inode);
    if (close(fd) < 0)
        rc = -1;
    u->did->files++;
    u->did->bytes += inode->size;
    return rc;
}

/* A further name of an inode that is there. */
static int unpack_hard_link(struct unpacking *u, int parent, const char *name, const char *home)
{
    int from = open_parent(u, home);
    int rc = from < 0 ? -1 : linkat(from, lc_path_base(home), parent, name, 0);

    if (from >= 0)
        close(from);
    u->did->files += rc == 0;
    return rc;
}

static int unpack_directory(struct unpacking *u, int parent, const char *name)
{
    u->did->directories++;
    return *name && mkdirat(parent, name, 0777) < 0 && errno != EEXIST ? -1 : 0;
}

static int unpack_entry(struct unpacking *u, uint32_t i)
{
    const struct lc_look *look = &u->image->look;
    const struct lc_entry *e = &look->entry[i];
    const struct lc_inode *inode = lc_look_inode(look, i);
    const char *path = lc_look_name(look, e->path), *name = lc_path_base(path);

    if (!inode)
        return 0;
    int parent = open_parent(u, path), rc = -1;
    if (parent < 0)
        return fail(u, path);
    if (e->kind == LC_KIND_DIRECTORY) {
        rc = unpack_directory(u, parent, name);
    } else if (e->kind == LC_KIND_SYMLINK) {
        rc = symlinkat(lc_look_name(look, (uint32_t)inode->data), parent, name);
        u->did->links++;
    } else if (u->home[e->inode]) {
        rc = unpack_hard_link(u, parent, name, u->home[e->inode]);
    } else {
        rc = unpack_file(u, parent, name, inode);
        u->home[e->inode] = inode->data == LC_NO_CONTENT ? NULL : (char *)path;
    }
    int saved = errno;
    close(parent);
    errno = saved;
    return rc < 0 ? fail(u, path) : 0;
}

/* Modes and times of directories last: the files in them change both. Deepest first. */
static void finish_directories(struct unpacking *u)
{
    const struct lc_look *look = &u->image->look;

    for (uint32_t i = look->entries; i-- > 1;) {
        const struct lc_inode *inode = lc_look_inode(look, i);
        const char *path = lc_look_name(look, look->entry[i].path);
        if (look->entry[i].kind != LC_KIND_DIRECTORY || !inode)
            continue;
        int parent = open_parent(u, path);
        int fd = parent < 0 ? -1 : openat(parent, lc_path_base(path), O_RDONLY | O_DIRECTORY);
        if (fd >= 0) {
            set_times(fd, inode);
            /* Readable and removable by who unpacked it, whatever the source said. */
            fchmod(fd, (inode->mode & 0777) | 0700);
            close(fd);
        }
        if (parent >= 0)
            close(parent);
    }
}

static int open_root(struct unpacking *u)
{
    if (mkdir(u->dir, 0777) < 0 && errno != EEXIST)
        return lc_error_errno(u->err, "cannot make '%s'", u->dir);
    DIR *d = opendir(u->dir);
    if (!d)
        return lc_error_errno(u->err, "cannot unpack to '%s'", u->dir);
    int names = 0;
    while (names <= 2 && readdir(d))
        names++;
    closedir(d);
    if (names > 2)
        return lc_error_set(u->err, "'%s' is not empty; give a new directory", u->dir);
    u->root = open(u->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return u->root < 0 ? lc_error_errno(u->err, "cannot unpack to '%s'", u->dir) : 0;
}

int lc_image_unpack(const struct lc_image *image, const char *dir, struct lc_unpacked *did,
                    struct lc_error *err)
{
    struct unpacking u = {.image = image, .dir = dir, .root = -1, .did = did, .err = err};
    int rc = 0;

    *did = (struct lc_unpacked){0};
    if (open_root(&u) < 0)
        return -1;
    u.home = calloc(image->look.inodes + 1, sizeof(*u.home));
    if (!u.home)
        rc = lc_error_errno(err, "cannot unpack '%s'", image->file);
    for (uint32_t i = 0; i < image->look.entries && rc == 0; i++)
        rc = unpack_entry(&u, i);
    if (rc == 0)
        finish_directories(&u);
    close(u.root);
    free(u.home);
    return rc;
}
