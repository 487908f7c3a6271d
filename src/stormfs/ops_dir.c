/* SPDX-License-Identifier: MIT */
/* ops_dir.c - requests about directories */
#include "stormfs/ops.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An open directory. 'file' must come first: GETATTR and FSYNCDIR treat it as a struct lc_file. */
struct dir {
    struct lc_file file;
    pthread_mutex_t lock; /* guards the members below */
    DIR *stream;
    off_t offset;          /* position of the stream */
    struct dirent *unsent; /* entry that was read but did not fit into the last answer */
};

static struct dir *dir_of(const struct fuse_file_info *fi)
{
    return (struct dir *)(uintptr_t)fi->fh;
}

static struct dir *dir_create(struct lc_inodes *t, struct lc_storm_inode *inode, int fd)
{
    struct dir *d = calloc(1, sizeof(*d));

    if (d)
        d->stream = fdopendir(fd);
    if (!d || !d->stream) {
        close(fd);
        free(d);
        return NULL;
    }
    pthread_mutex_init(&d->lock, NULL);
    lc_handle_add(t, &d->file.handle, inode, fd);
    return d;
}

static void dir_destroy(struct lc_inodes *t, struct dir *d)
{
    lc_handle_remove(t, &d->file.handle);
    closedir(d->stream);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

void lc_op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    struct lc_storm_mount *mount = lc_request_mount(req);
    struct lc_inodes *t = mount->storm->inodes;
    struct lc_storm_inode *inode = lc_request_inode(req, ino);
    struct dir *d = NULL;
    struct stat st;

    if (!lc_request_begin(req, LC_OP_OPENDIR))
        return;
    int fd = lc_inode_open(t, inode, O_RDONLY | O_DIRECTORY, &st);
    if (fd >= 0)
        d = dir_create(t, inode, fd);
    if (!d) {
        lc_reply_err(req, errno);
        return;
    }
    fi->fh = (uint64_t)(uintptr_t)d;
    fi->cache_readdir = mount->storm->options->profile.dir_cache_s > 0;
    fi->keep_cache = fi->cache_readdir && lc_inode_cache_is_valid(t, inode, mount->index, &st);
    if (lc_reply_open(req, fi) < 0)
        dir_destroy(t, d);
}

/* The next entry, or NULL at the end or with errno set. */
static struct dirent *entry_next(struct dir *d)
{
    if (!d->unsent) {
        errno = 0;
        d->unsent = readdir(d->stream);
    }
    return d->unsent;
}

static bool name_is_dot(const char *name)
{
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* Look up an entry of an open directory, by its descriptor. */
static bool entry_lookup(struct lc_storm_mount *mount, const struct dir *d, const char *name,
                         struct fuse_entry_param *e)
{
    const struct lc_handle *h = &d->file.handle;
    struct stat st;

    if (name_is_dot(name) || fstatat(h->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return false;
    struct lc_storm_inode *inode = lc_inodes_adopt(mount->storm->inodes, h->inode, name, &st);
    if (inode)
        lc_entry_fill(mount, inode, &st, e);
    return inode;
}

/* Adds an entry with attributes (READDIRPLUS), which counts as a look-up except for "." and "..".
 * An entry that has been removed meanwhile, or cannot be looked up, is listed without attributes.
 */
static size_t entry_add_plus(fuse_req_t req, struct dir *d, const struct dirent *entry, char *at,
                             size_t room)
{
    struct lc_storm_mount *mount = lc_request_mount(req);
    struct fuse_entry_param e;
    bool is_known = entry_lookup(mount, d, entry->d_name, &e);

    if (!is_known)
        e = (struct fuse_entry_param){
            .attr = {.st_ino = entry->d_ino, .st_mode = (mode_t)DTTOIF(entry->d_type)}};
    size_t n = fuse_add_direntry_plus(req, at, room, entry->d_name, &e, entry->d_off);
    if (n > room && is_known)
        lc_entry_cancel(mount, &e);
    return n;
}

static size_t entry_add(fuse_req_t req, const struct dirent *entry, char *at, size_t room)
{
    const struct stat st = {.st_ino = entry->d_ino, .st_mode = (mode_t)DTTOIF(entry->d_type)};

    return fuse_add_direntry(req, at, room, entry->d_name, &st, entry->d_off);
}

/* Fill 'buf' with entries from 'offset' on; returns the bytes used, or -1 with errno. */
static ssize_t entries_list(fuse_req_t req, struct dir *d, char *buf, size_t size, off_t offset,
                            bool plus)
{
    struct dirent *entry;
    size_t used = 0;

    if (offset != d->offset) {
        seekdir(d->stream, offset);
        d->unsent = NULL;
        d->offset = offset;
    }
    while ((entry = entry_next(d))) {
        size_t room = size - used;
        size_t n = plus ? entry_add_plus(req, d, entry, buf + used, room)
                        : entry_add(req, entry, buf + used, room);
        if (n > room)
            return (ssize_t)used;
        used += n;
        d->offset = entry->d_off;
        d->unsent = NULL;
    }
    return errno != 0 && used == 0 ? -1 : (ssize_t)used;
}

static void reply_list(fuse_req_t req, size_t size, off_t offset, struct dir *d, bool plus)
{
    char *buf = malloc(size);

    if (!buf) {
        lc_reply_err(req, ENOMEM);
        return;
    }
    pthread_mutex_lock(&d->lock);
    ssize_t n = entries_list(req, d, buf, size, offset, plus);
    int saved = errno;
    pthread_mutex_unlock(&d->lock);
    if (n < 0)
        lc_reply_err(req, saved);
    else
        lc_reply_buf(req, buf, (size_t)n);
    free(buf);
}

void lc_op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
                   struct fuse_file_info *fi)
{
    (void)ino;
    if (lc_request_begin(req, LC_OP_READDIR))
        reply_list(req, size, offset, dir_of(fi), false);
}

void lc_op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
                       struct fuse_file_info *fi)
{
    (void)ino;
    if (lc_request_begin(req, LC_OP_READDIRPLUS))
        reply_list(req, size, offset, dir_of(fi), true);
}

void lc_op_releasedir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    (void)ino;
    if (!lc_request_begin(req, LC_OP_RELEASEDIR))
        return;
    dir_destroy(lc_request_inodes(req), dir_of(fi));
    lc_reply_err(req, 0);
}

void lc_op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
    (void)ino;
    if (lc_request_begin(req, LC_OP_FSYNCDIR))
        lc_reply_result(req, datasync ? fdatasync(lc_file_fd(fi)) : fsync(lc_file_fd(fi)));
}
