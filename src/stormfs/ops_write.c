/* SPDX-License-Identifier: MIT */
/* ops_write.c - changing attributes and content of files */
#include "stormfs/ops_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "stormfs/ops.h"

/* The times of a SETATTR request, in the form that utimensat takes. */
static void times_of(const struct stat *attr, int to_set, struct timespec tv[2])
{
    tv[0] = tv[1] = (struct timespec){0, UTIME_OMIT};
    if (to_set & FUSE_SET_ATTR_ATIME_NOW)
        tv[0].tv_nsec = UTIME_NOW;
    else if (to_set & FUSE_SET_ATTR_ATIME)
        tv[0] = attr->st_atim;
    if (to_set & FUSE_SET_ATTR_MTIME_NOW)
        tv[1].tv_nsec = UTIME_NOW;
    else if (to_set & FUSE_SET_ATTR_MTIME)
        tv[1] = attr->st_mtim;
}

/* Applies a SETATTR request. The owner is set before the mode, as a change of owner clears the
 * set-id bits. 'fd' is an O_PATH descriptor; its path below /proc leads to the file itself, even if
 * that is a symbolic link. */
static int attr_apply(int fd, const struct stat *attr, int to_set, const struct fuse_file_info *fi)
{
    const int times = FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_ATIME_NOW | FUSE_SET_ATTR_MTIME |
                      FUSE_SET_ATTR_MTIME_NOW;
    uid_t uid = to_set & FUSE_SET_ATTR_UID ? attr->st_uid : (uid_t)-1;
    gid_t gid = to_set & FUSE_SET_ATTR_GID ? attr->st_gid : (gid_t)-1;
    struct timespec tv[2];
    char proc[40];

    snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
    if (to_set & (FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID) &&
        fchownat(fd, "", uid, gid, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) < 0)
        return -1;
    if (to_set & FUSE_SET_ATTR_MODE && chmod(proc, attr->st_mode & 07777) < 0)
        return -1;
    if (to_set & FUSE_SET_ATTR_SIZE &&
        (fi ? ftruncate(lc_file_fd(fi), attr->st_size) : truncate(proc, attr->st_size)) < 0)
        return -1;
    times_of(attr, to_set, tv);
    return to_set & times ? utimensat(AT_FDCWD, proc, tv, 0) : 0;
}

void lc_op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set,
                   struct fuse_file_info *fi)
{
    struct stat st;

    if (!lc_request_begin(req, LC_OP_SETATTR))
        return;
    int fd = lc_inode_open(lc_request_inodes(req), lc_request_inode(req, ino), O_PATH, &st);
    int rc = fd < 0 ? -1 : attr_apply(fd, attr, to_set, fi);
    if (rc == 0)
        rc = fstat(fd, &st);
    int saved = errno;
    if (fd >= 0)
        close(fd);
    if (rc < 0)
        lc_reply_err(req, saved);
    else
        lc_reply_attr(req, &st, lc_attr_timeout(lc_request_mount(req), &st));
}

/* Returns how many bytes were written, or -1 with errno if none could be. */
static ssize_t write_fully(int fd, const char *buf, size_t size, off_t offset)
{
    size_t done = 0;

    while (done < size) {
        ssize_t n = pwrite(fd, buf + done, size - done, offset + (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return done > 0 ? (ssize_t)done : -1;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

void lc_op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t offset,
                 struct fuse_file_info *fi)
{
    (void)ino;
    if (!lc_request_begin(req, LC_OP_WRITE))
        return;
    ssize_t n = write_fully(lc_file_fd(fi), buf, size, offset);
    if (n < 0) {
        lc_reply_err(req, errno);
        return;
    }
    lc_request_transfer(req, (uint64_t)n);
    atomic_fetch_add(&lc_request_mount(req)->counters.bytes_written, (uint64_t)n);
    lc_reply_write(req, (size_t)n);
}

void lc_op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
    (void)ino;
    if (lc_request_begin(req, LC_OP_FSYNC))
        lc_reply_result(req, datasync ? fdatasync(lc_file_fd(fi)) : fsync(lc_file_fd(fi)));
}

void lc_op_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t offset, off_t length,
                     struct fuse_file_info *fi)
{
    (void)ino;
    if (lc_request_begin(req, LC_OP_FALLOCATE))
        lc_reply_result(req, fallocate(lc_file_fd(fi), mode, offset, length));
}

void lc_op_copy_file_range(fuse_req_t req, fuse_ino_t from, off_t from_offset,
                           struct fuse_file_info *from_fi, fuse_ino_t to, off_t to_offset,
                           struct fuse_file_info *to_fi, size_t len, int flags)
{
    (void)from;
    (void)to;
    if (!lc_request_begin(req, LC_OP_COPY_FILE_RANGE))
        return;
    ssize_t n = copy_file_range(lc_file_fd(from_fi), &from_offset, lc_file_fd(to_fi), &to_offset,
                                len, (unsigned)flags);
    if (n < 0)
        lc_reply_err(req, errno);
    else
        lc_reply_write(req, (size_t)n);
}
