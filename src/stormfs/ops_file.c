/* SPDX-License-Identifier: MIT */
/* ops_file.c - requests about open files, except writing
 *
 * The kernel may keep pages of a file from one open to the next if the file has not changed since
 * this mount opened it last. How long attributes are cached does not matter for that, as on NFS
 * and Lustre. Files are never opened with direct_io, so that they can be mapped. */
#include "stormfs/ops.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/io.h"

struct lc_file *lc_file_create(struct lc_storm_mount *mount, struct lc_storm_inode *inode, int fd,
                               const struct stat *st, struct fuse_file_info *fi)
{
    struct lc_file *file = malloc(sizeof(*file));

    if (!file) {
        close(fd);
        errno = ENOMEM;
        return NULL;
    }
    lc_handle_add(mount->storm->inodes, &file->handle, inode, fd);
    fi->fh = (uint64_t)(uintptr_t)file;
    fi->keep_cache = lc_inode_cache_is_valid(mount->storm->inodes, inode, mount->index, st);
    return file;
}

void lc_file_destroy(struct lc_inodes *t, struct lc_file *file)
{
    lc_handle_remove(t, &file->handle);
    close(file->handle.fd);
    free(file);
}

/* The open flags for the file in the source; the kernel handles O_CREAT, O_EXCL and O_NOCTTY
 * itself. O_APPEND is passed on so that appends of several nodes do not overwrite each other. */
static int source_flags(int flags)
{
    return flags & (O_ACCMODE | O_TRUNC | O_APPEND | O_SYNC | O_DSYNC);
}

void lc_op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    struct lc_storm_mount *mount = lc_request_mount(req);
    struct lc_storm_inode *inode = lc_request_inode(req, ino);
    struct lc_file *file = NULL;
    struct stat st;

    if (!lc_request_begin(req, LC_OP_OPEN))
        return;
    int fd = lc_inode_open(mount->storm->inodes, inode, source_flags(fi->flags), &st);
    if (fd >= 0)
        file = lc_file_create(mount, inode, fd, &st, fi);
    if (!file)
        lc_reply_err(req, errno);
    else if (lc_reply_open(req, fi) < 0)
        lc_file_destroy(mount->storm->inodes, file);
}

static __thread char *answer;
static __thread size_t answer_size;

void lc_op_thread_end(void)
{
    free(answer);
    answer = NULL;
    answer_size = 0;
}

/* A buffer of this thread, large enough for one answer; NULL with errno ENOMEM. */
static char *answer_buffer(size_t size)
{
    if (answer_size < size) {
        free(answer);
        answer = malloc(size);
        answer_size = answer ? size : 0;
    }
    return answer;
}

void lc_op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
                struct fuse_file_info *fi)
{
    char *buf = answer_buffer(size);

    (void)ino;
    if (!lc_request_begin(req, LC_OP_READ))
        return;
    /* lc_read_at reads until the end of the file: to the kernel a short answer means end of file.
     */
    ssize_t n = buf ? lc_read_at(lc_file_fd(fi), buf, size, offset) : -1;
    if (n < 0) {
        lc_reply_err(req, buf ? errno : ENOMEM);
        return;
    }
    lc_request_transfer(req, (uint64_t)n);
    atomic_fetch_add(&lc_request_mount(req)->counters.bytes_read, (uint64_t)n);
    lc_reply_buf(req, buf, (size_t)n);
}

/* FLUSH of a read-only mount: there is nothing to write back. After ENOSYS the kernel sends no more
 * FLUSH. */
void lc_op_flush_unneeded(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    (void)ino;
    (void)fi;
    if (lc_request_begin(req, LC_OP_FLUSH))
        lc_reply_err(req, ENOSYS);
}

void lc_op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    (void)ino;
    if (!lc_request_begin(req, LC_OP_RELEASE))
        return;
    lc_file_destroy(lc_request_inodes(req), (struct lc_file *)(uintptr_t)fi->fh);
    lc_reply_err(req, 0);
}

void lc_op_lseek(fuse_req_t req, fuse_ino_t ino, off_t offset, int whence,
                 struct fuse_file_info *fi)
{
    (void)ino;
    if (!lc_request_begin(req, LC_OP_LSEEK))
        return;
    off_t at = lseek(lc_file_fd(fi), offset, whence);
    if (at < 0)
        lc_reply_err(req, errno);
    else
        lc_reply_lseek(req, at);
}

/* Programs often call isatty() on a file that they open: answer that it is no terminal. */
void lc_op_ioctl(fuse_req_t req, fuse_ino_t ino, unsigned cmd, void *arg, struct fuse_file_info *fi,
                 unsigned flags, const void *in, size_t in_size, size_t out_size)
{
    (void)ino, (void)cmd, (void)arg, (void)fi, (void)flags, (void)in, (void)in_size, (void)out_size;
    if (lc_request_begin(req, LC_OP_IOCTL))
        lc_reply_err(req, ENOTTY);
}
