/* SPDX-License-Identifier: MIT */
/* locks.c - locks that hold between all mounts
 *
 * flock belongs to an open file, which here has a descriptor of its own: the same call on that.
 * fcntl locks belong to a process, whatever it opened: each owner gets one more descriptor per
 * file, and open-file-description locks on it; closing any descriptor of the file (FLUSH) drops
 * them all. A wait does not occupy the server, and ends when the client is interrupted. */
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
    int users; /* requests that use it just now */
};

static struct owner *owners;
static pthread_mutex_t owners_lock = PTHREAD_MUTEX_INITIALIZER;

static struct owner **find_owner(fuse_req_t req, struct lc_storm_inode *inode, uint64_t id)
{
    struct owner **o = &owners;

    while (*o && ((*o)->id != id || (*o)->inode != inode || (*o)->mount != lc_request_mount(req)))
        o = &(*o)->next;
    return o;
}

/* A lock needs a descriptor that allows what it locks for. */
static int open_for_locks(fuse_req_t req, struct lc_storm_inode *inode,
                          const struct fuse_file_info *fi)
{
    struct stat st;
    int fd = lc_inode_open(lc_request_inodes(req), inode, O_RDWR, &st);

    return fd >= 0 ? fd : lc_inode_open(lc_request_inodes(req), inode, fi->flags & O_ACCMODE, &st);
}

/* The owner, made on first use; NULL with errno. */
static struct owner *take_owner(fuse_req_t req, struct lc_storm_inode *inode,
                                const struct fuse_file_info *fi)
{
    pthread_mutex_lock(&owners_lock);
    struct owner **at = find_owner(req, inode, fi->lock_owner);
    if (!*at) {
        struct owner *o = calloc(1, sizeof(*o));
        int fd = o ? open_for_locks(req, inode, fi) : -1;
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

static void put_owner(struct owner *o)
{
    pthread_mutex_lock(&owners_lock);
    o->users--;
    pthread_mutex_unlock(&owners_lock);
}

/* The process closed the file: its locks go, unless one of its threads still asks for one. */
static void drop_owner(fuse_req_t req, struct lc_storm_inode *inode, uint64_t id)
{
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

    pthread_mutex_lock(&owners_lock);
    struct owner **at = find_owner(req, inode, id), *o = *at;
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
    drop_owner(req, lc_request_inode(req, ino), fi->lock_owner);
    int copy = dup(lc_file_fd(fi)); /* closing it reports what a late write met with */
    lc_reply_result(req, copy < 0 ? -1 : close(copy));
}

/* Wait a moment before the next try, longer each time; false when interrupted. */
static bool wait_for_lock(fuse_req_t req, int tries)
{
    const struct timespec moment = {0, (tries < 20 ? tries + 1 : 20) * 1000000L};

    nanosleep(&moment, NULL);
    return !fuse_req_interrupted(req);
}

static int set_lock(fuse_req_t req, const struct owner *o, struct flock *lock, bool sleep)
{
    int tries = 0, rc;

    lock->l_pid = 0;
    while ((rc = fcntl(o->fd, F_OFD_SETLK, lock)) < 0 && (errno == EAGAIN || errno == EACCES)) {
        errno = EAGAIN;
        if (!sleep)
            return -1;
        errno = EINTR;
        if (!wait_for_lock(req, tries++))
            return -1;
    }
    return rc;
}

void lc_op_setlk(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi, struct flock *lock,
                 int sleep)
{
    if (!lc_request_begin(req, LC_OP_SETLK))
        return;
    struct owner *o = take_owner(req, lc_request_inode(req, ino), fi);
    if (!o) {
        lc_reply_err(req, errno);
        return;
    }
    int rc = set_lock(req, o, lock, sleep), saved = errno;
    put_owner(o);
    errno = saved;
    lc_reply_result(req, rc);
}

void lc_op_getlk(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi, struct flock *lock)
{
    if (!lc_request_begin(req, LC_OP_GETLK))
        return;
    struct owner *o = take_owner(req, lc_request_inode(req, ino), fi);
    if (!o) {
        lc_reply_err(req, errno);
        return;
    }
    lock->l_pid = 0;
    int rc = fcntl(o->fd, F_OFD_GETLK, lock), saved = errno;
    put_owner(o);
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
        if (!wait_for_lock(req, tries++))
            break;
    }
    lc_reply_result(req, rc);
}
