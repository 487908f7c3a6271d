/* SPDX-License-Identifier: MIT */
/* ops_create.c - creating files, directories, symbolic links and hard links
 *
 * The kernel has checked permissions and applied the umask. If stormfs runs as root, a new file is
 * given to the user of the client process. */
#include "stormfs/ops_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "stormfs/ops.h"

/* Gives a new file to the user and group of the client process; in a set-gid directory it keeps the
 * group of the directory. */
static void owner_give(fuse_req_t req, int dir_fd, const char *name, mode_t mode)
{
    const struct fuse_ctx *who = fuse_req_ctx(req);
    struct stat dir;

    if (geteuid() != 0 || (who->uid == 0 && who->gid == 0) || fstat(dir_fd, &dir) < 0)
        return;
    gid_t gid = dir.st_mode & S_ISGID ? (gid_t)-1 : who->gid;
    int rc = fchownat(dir_fd, name, who->uid, gid, AT_SYMLINK_NOFOLLOW);
    if (rc == 0 && mode & 06000)
        rc = fchmodat(dir_fd, name, mode & 07777, 0); /* fchownat has cleared the set-id bits */
    (void)rc;                                         /* a failure is ignored: the file exists */
}

/* Parameters of MKNOD, MKDIR, SYMLINK and LINK. */
struct new_node {
    enum lc_op op;
    const char *name;
    mode_t mode;
    dev_t rdev;
    const char *target; /* of a symbolic link */
    int link_fd;        /* LINK: the file that gets another name */
};

static int node_create_at(int dir_fd, const struct new_node *m)
{
    char proc[40];

    switch (m->op) {
    case LC_OP_MKDIR:
        return mkdirat(dir_fd, m->name, m->mode & 07777);
    case LC_OP_SYMLINK:
        return symlinkat(m->target, dir_fd, m->name);
    case LC_OP_LINK:
        snprintf(proc, sizeof(proc), "/proc/self/fd/%d", m->link_fd);
        return linkat(AT_FDCWD, proc, dir_fd, m->name, AT_SYMLINK_FOLLOW);
    default:
        return mknodat(dir_fd, m->name, m->mode, m->rdev);
    }
}

static void node_create_and_reply(fuse_req_t req, fuse_ino_t parent, const struct new_node *m)
{
    struct lc_storm_mount *mount = lc_request_mount(req);
    struct lc_inodes *t = mount->storm->inodes;
    struct lc_storm_inode *dir = lc_request_inode(req, parent);
    struct fuse_entry_param e;
    int fd = lc_inode_pin_dir(t, dir), rc = fd < 0 ? -1 : node_create_at(fd, m);

    if (rc == 0 && m->op != LC_OP_LINK)
        owner_give(req, fd, m->name, m->mode);
    if (rc == 0)
        rc = lc_entry_lookup(mount, dir, m->name, &e);
    if (rc == 0 && m->op != LC_OP_LINK && (e.attr.st_mode & S_IFMT) != (m->mode & S_IFMT)) {
        lc_entry_cancel(
            mount, &e); /* replaced by another client meanwhile: the kernel looks it up again */
        errno = ESTALE;
        rc = -1;
    }
    int saved = errno;
    if (fd >= 0)
        lc_inode_unpin(t, dir);
    if (rc < 0)
        lc_reply_err(req, saved);
    else if (lc_reply_entry(req, &e) < 0)
        lc_entry_cancel(mount, &e);
}

void lc_op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev)
{
    if (lc_request_begin(req, LC_OP_MKNOD))
        node_create_and_reply(req, parent,
                              &(struct new_node){LC_OP_MKNOD, name, .mode = mode, .rdev = rdev});
}

void lc_op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
    if (lc_request_begin(req, LC_OP_MKDIR))
        node_create_and_reply(req, parent,
                              &(struct new_node){LC_OP_MKDIR, name, .mode = mode | S_IFDIR});
}

void lc_op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name)
{
    if (lc_request_begin(req, LC_OP_SYMLINK))
        node_create_and_reply(
            req, parent,
            &(struct new_node){LC_OP_SYMLINK, name, .mode = S_IFLNK, .target = target});
}

void lc_op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name)
{
    struct stat st;

    if (!lc_request_begin(req, LC_OP_LINK))
        return;
    int fd = lc_inode_open(lc_request_inodes(req), lc_request_inode(req, ino), O_PATH, &st);
    if (fd < 0) {
        lc_reply_err(req, errno);
        return;
    }
    node_create_and_reply(req, parent, &(struct new_node){LC_OP_LINK, name, .link_fd = fd});
    close(fd);
}

/* Creates and opens a file. If it exists by now, opens it, unless the client gave O_EXCL. Returns a
 * descriptor, or -1 with errno. */
static int file_create_at(fuse_req_t req, int dir_fd, const char *name, mode_t mode, int flags)
{
    const int keep = O_ACCMODE | O_APPEND | O_SYNC | O_DSYNC | O_TRUNC;
    int source = (flags & keep) | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(dir_fd, name, source | O_CREAT | O_EXCL, mode);

    if (fd >= 0)
        owner_give(req, dir_fd, name, mode);
    else if (errno == EEXIST && !(flags & O_EXCL))
        fd = openat(dir_fd, name, source | O_NONBLOCK);
    if (fd < 0 && errno == ELOOP)
        errno = ESTALE; /* a symbolic link by now: the kernel looks it up again */
    return fd;
}

/* The inode of a file just opened. It is found by the descriptor, since the name may lead to
 * another file by now. NULL with errno. */
static struct lc_storm_inode *file_adopt(struct lc_inodes *t, struct lc_storm_inode *dir,
                                         const char *name, int fd, struct stat *st)
{
    if (fstat(fd, st) < 0)
        return NULL;
    errno = ESTALE;
    return S_ISREG(st->st_mode) ? lc_inodes_adopt(t, dir, name, st) : NULL;
}

/* Creates a file: returns the open file, and its entry in *e; NULL with errno. */
static struct lc_file *file_create(fuse_req_t req, struct lc_storm_inode *dir, const char *name,
                                   mode_t mode, struct fuse_file_info *fi,
                                   struct fuse_entry_param *e)
{
    struct lc_storm_mount *mount = lc_request_mount(req);
    struct lc_inodes *t = mount->storm->inodes;
    int dir_fd = lc_inode_pin_dir(t, dir);
    int fd = dir_fd < 0 ? -1 : file_create_at(req, dir_fd, name, mode, fi->flags), saved = errno;

    if (dir_fd >= 0)
        lc_inode_unpin(t, dir);
    errno = saved;
    if (fd < 0)
        return NULL;
    struct stat st;
    struct lc_storm_inode *inode = file_adopt(t, dir, name, fd, &st);
    if (!inode) {
        saved = errno;
        close(fd);
        errno = saved;
        return NULL;
    }
    lc_entry_fill(mount, inode, &st, e);
    struct lc_file *file = lc_file_create(mount, inode, fd, &st, fi);
    if (!file)
        lc_entry_cancel(mount, e);
    return file;
}

void lc_op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
                  struct fuse_file_info *fi)
{
    struct lc_storm_mount *mount = lc_request_mount(req);
    struct fuse_entry_param e;

    if (!lc_request_begin(req, LC_OP_CREATE))
        return;
    struct lc_file *file = file_create(req, lc_request_inode(req, parent), name, mode, fi, &e);
    if (!file) {
        lc_reply_err(req, errno);
    } else if (lc_reply_create(req, &e, fi) < 0) {
        lc_file_destroy(mount->storm->inodes, file);
        lc_entry_cancel(mount, &e);
    }
}
