/* SPDX-License-Identifier: MIT */
/* locks.c - file locks, valid between all mounts
 *
 * A flock lock belongs to an open file. Each open file has a descriptor here, so flock is called on
 * that. An fcntl lock belongs to a process: for each pair of process (lock owner) and file we open
 * one more descriptor and set open-file-description locks on it. When the process closes any
 * descriptor of the file (FLUSH), all its locks on the file are dropped. Waiting for a lock takes
 * no service time, and ends when the client is interrupted. */
#include "stormfs/ops_write.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "stormfs/ops.h"

struct owner {
    struct owner *next;
    struct lc_storm_mount *mount;
    struct lc_storm_inode *inode;
    uint64_t id;
    int fd;
    int users; /* requests that use fd now */
};

static struct owner *owners;
static pthread_mutex_t owners_lock = PTHREAD_MUTEX_INITIALIZER;

static struct owner **owner_find(fuse_req_t req, struct lc_storm_inode *inode, uint64_t id)
{
    struct owner **o = &owners;

    while (*o && ((*o)->id != id || (*o)->inode != inode || (*o)->mount != lc_request_mount(req)))
        o = &(*o)->next;
    return o;
}

/* A read lock needs a readable descriptor, a write lock a writable one: opens for both if allowed,
 * else as the client opened the file. */
static int lock_fd_open(fuse_req_t req, struct lc_storm_inode *inode,
                        const struct fuse_file_info *fi)
{
    struct stat st;
    int fd = lc_inode_open(lc_request_inodes(req), inode, O_RDWR, &st);

    return fd >= 0 ? fd : lc_inode_open(lc_request_inodes(req), inode, fi->flags & O_ACCMODE, &st);
}

/* Finds or creates the owner and counts this request as a user of it; release with owner_release.
 * NULL with errno. */
static struct owner *owner_acquire(fuse_req_t req, struct lc_storm_inode *inode,
                                   const struct fuse_file_info *fi)
{
    pthread_mutex_lock(&owners_lock);
    struct owner **at = owner_find(req, inode, fi->lock_owner);
    if (!*at) {
        struct owner *o = calloc(1, sizeof(*o));
        int fd = o ? lock_fd_open(req, inode, fi) : -1;
        if (fd < 0)
            free(o);
        else
            *(*at = o) = (struct owner){NULL, lc_request_mount(req), inode, fi->lock_owner, fd, 0};
    }
    struct owner *o = *at;
    if (o)
        o->users++;
    pthread_mutex_unlock(&owners_lock);
    return o;
}

static void owner_release(struct owner *o)
{
    pthread_mutex_lock(&owners_lock);
    o->users--;
    pthread_mutex_unlock(&owners_lock);
}

/* The process closed the file: unlock everything, and free the owner unless another thread of the
 * process has a lock request under way. */
static void owner_drop(fuse_req_t req, struct lc_storm_inode *inode, uint64_t id)
{
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

    pthread_mutex_lock(&owners_lock);
    struct owner **at = owner_find(req, inode, id), *o = *at;
    if (o && o->users > 0) {
        fcntl(o->fd, F_OFD_SETLK, &all);
    } else if (o) {
        *at = o->next;
        close(o->fd);
        free(o);
    }
    pthread_mutex_unlock(&owners_lock);
}

void lc_op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    if (!lc_request_begin(req, LC_OP_FLUSH))
        return;
    owner_drop(req, lc_request_inode(req, ino), fi->lock_owner);
    int copy = dup(lc_file_fd(fi)); /* closing it reports errors of delayed writes */
    lc_reply_result(req, copy < 0 ? -1 : close(copy));
}

/* Wait a pause before the next try, longer each time; false when interrupted. */
static bool lock_wait(fuse_req_t req, int tries)
{
    const struct timespec pause = {0, (tries < 20 ? tries + 1 : 20) * 1000000L};

    nanosleep(&pause, NULL);
    return !fuse_req_interrupted(req);
}

static int lock_set(fuse_req_t req, const struct owner *o, struct flock *lock, bool sleep)
{
    int tries = 0, rc;

    lock->l_pid = 0;
    while ((rc = fcntl(o->fd, F_OFD_SETLK, lock)) < 0 && (errno == EAGAIN || errno == EACCES)) {
        errno = EAGAIN;
        if (!sleep)
            return -1;
        errno = EINTR;
        if (!lock_wait(req, tries++))
            return -1;
    }
    return rc;
}

void lc_op_setlk(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi, struct flock *lock,
                 int sleep)
{
    if (!lc_request_begin(req, LC_OP_SETLK))
        return;
    struct owner *o = owner_acquire(req, lc_request_inode(req, ino), fi);
    if (!o) {
        lc_reply_err(req, errno);
        return;
    }
    int rc = lock_set(req, o, lock, sleep), saved = errno;
    owner_release(o);
    errno = saved;
    lc_reply_result(req, rc);
}

void lc_op_getlk(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi, struct flock *lock)
{
    if (!lc_request_begin(req, LC_OP_GETLK))
        return;
    struct owner *o = owner_acquire(req, lc_request_inode(req, ino), fi);
    if (!o) {
        lc_reply_err(req, errno);
        return;
    }
    lock->l_pid = 0;
    int rc = fcntl(o->fd, F_OFD_GETLK, lock), saved = errno;
    owner_release(o);
    if (rc < 0)
        lc_reply_err(req, saved);
    else
        lc_reply_lock(req, lock);
}

void lc_op_flock(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi, int op)
{
    int tries = 0, rc;

    (void)ino;
    if (!lc_request_begin(req, LC_OP_FLOCK))
        return;
    while ((rc = flock(lc_file_fd(fi), op | LOCK_NB)) < 0 && errno == EWOULDBLOCK &&
           !(op & LOCK_NB)) {
        errno = EINTR;
        if (!lock_wait(req, tries++))
            break;
    }
    lc_reply_result(req, rc);
}
