/* SPDX-License-Identifier: MIT */
/* ops_remove.c - unlink, rmdir and rename
 *
 * lc_inodes_hold is called before a name is removed, so that a file or directory without a name can
 * still be used by processes that have it open or as their working directory. */
#include "stormfs/ops_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "stormfs/ops.h"

static int name_remove(struct lc_inodes *t, struct lc_storm_inode *dir, const char *name, int flags)
{
    struct stat st;
    int fd = lc_inode_pin_dir(t, dir), rc = -1;

    if (fd < 0)
        return -1;
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        lc_inodes_hold(t, dir, name);
        rc = unlinkat(fd, name, flags);
        int saved = errno;
        if (rc == 0)
            lc_inodes_name_removed(t, dir, name, &st);
        else
            lc_inodes_name_added(t, dir, name,
                                 &st); /* the name is still there: no descriptor must be kept */
        errno = saved;
    }
    int saved = errno;
    lc_inode_unpin(t, dir);
    errno = saved;
    return rc;
}

void lc_op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
    if (lc_request_begin(req, LC_OP_UNLINK))
        lc_reply_result(
            req, name_remove(lc_request_inodes(req), lc_request_inode(req, parent), name, 0));
}

void lc_op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
    if (lc_request_begin(req, LC_OP_RMDIR))
        lc_reply_result(req, name_remove(lc_request_inodes(req), lc_request_inode(req, parent),
                                         name, AT_REMOVEDIR));
}

/* One end of a rename. */
struct end {
    struct lc_storm_inode *dir;
    const char *name;
    int fd;
    bool exists;
    struct stat st;
};

static int end_open(struct lc_inodes *t, struct end *e)
{
    e->fd = lc_inode_pin_dir(t, e->dir);
    if (e->fd < 0)
        return -1;
    e->exists = fstatat(e->fd, e->name, &e->st, AT_SYMLINK_NOFOLLOW) == 0;
    return 0;
}

static void end_close(struct lc_inodes *t, const struct end *e)
{
    int saved = errno;

    if (e->fd >= 0)
        lc_inode_unpin(t, e->dir);
    errno = saved;
}

/* Updates the remembered names after renameat2, which does nothing if both are names of one file.
 */
static void names_update(struct lc_inodes *t, const struct end *from, const struct end *to,
                         bool swap)
{
    if (to->exists && from->st.st_ino == to->st.st_ino && from->st.st_dev == to->st.st_dev)
        return;
    if (to->exists)
        lc_inodes_name_removed(t, to->dir, to->name, &to->st);
    lc_inodes_name_removed(t, from->dir, from->name, &from->st);
    lc_inodes_name_added(t, to->dir, to->name, &from->st);
    if (swap)
        lc_inodes_name_added(t, from->dir, from->name, &to->st);
}

static int ends_rename(struct lc_inodes *t, struct end *from, struct end *to, unsigned flags)
{
    bool replaces = to->exists && !(flags & (RENAME_EXCHANGE | RENAME_NOREPLACE));

    if (replaces)
        lc_inodes_hold(t, to->dir, to->name);
    int rc = renameat2(from->fd, from->name, to->fd, to->name, flags), saved = errno;
    if (rc == 0)
        names_update(t, from, to, flags & RENAME_EXCHANGE);
    else if (replaces)
        lc_inodes_name_added(t, to->dir, to->name, &to->st);
    errno = saved;
    return rc;
}

void lc_op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t new_parent,
                  const char *new_name, unsigned flags)
{
    struct lc_inodes *t = lc_request_inodes(req);
    struct end from = {.dir = lc_request_inode(req, parent), .name = name, .fd = -1};
    struct end to = {.dir = lc_request_inode(req, new_parent), .name = new_name, .fd = -1};

    if (!lc_request_begin(req, LC_OP_RENAME))
        return;
    int rc = -1;
    if (end_open(t, &from) == 0 && end_open(t, &to) == 0)
        rc = ends_rename(t, &from, &to, flags);
    end_close(t, &to);
    end_close(t, &from);
    lc_reply_result(req, rc);
}
