/* SPDX-License-Identifier: MIT */
/* ops.c - the table of request handlers, and the settings of the FUSE connection */
#include "stormfs/ops.h"

#include <unistd.h>

#include "stormfs/ops_write.h"

enum { MOST_BACKGROUND = 256 }; /* read-ahead requests in flight; the kernel's default is 12 */

static void capability_set(struct fuse_conn_info *conn, unsigned flag, bool wanted)
{
    if (!wanted)
        conn->want &= ~flag;
    else if (conn->capable & flag)
        conn->want |= flag;
}

static void connection_init(void *userdata, struct fuse_conn_info *conn)
{
    struct lc_storm_mount *mount = userdata;
    const uint64_t one = 1;

    capability_set(conn, FUSE_CAP_HANDLE_KILLPRIV, false); /* the kernel drops set-id bits itself */
    capability_set(conn, FUSE_CAP_SPLICE_READ, false);     /* requests are read as plain bytes */
    capability_set(conn, FUSE_CAP_PARALLEL_DIROPS, true);  /* see init_reply.c */
    capability_set(conn, FUSE_CAP_POSIX_LOCKS, mount->storm->options->rw);
    capability_set(conn, FUSE_CAP_FLOCK_LOCKS, mount->storm->options->rw);
    conn->max_background = MOST_BACKGROUND;
    atomic_store(&mount->is_ready, true);
    if (write(mount->storm->event_fd, &one, sizeof(one)) < 0)
        return; /* the counter is full, so the main thread wakes up anyway */
}

static void write_handlers_add(struct fuse_lowlevel_ops *ops)
{
    ops->setattr = lc_op_setattr;
    ops->mknod = lc_op_mknod;
    ops->mkdir = lc_op_mkdir;
    ops->symlink = lc_op_symlink;
    ops->link = lc_op_link;
    ops->create = lc_op_create;
    ops->unlink = lc_op_unlink;
    ops->rmdir = lc_op_rmdir;
    ops->rename = lc_op_rename;
    ops->write = lc_op_write;
    ops->fsync = lc_op_fsync;
    ops->fallocate = lc_op_fallocate;
    ops->copy_file_range = lc_op_copy_file_range;
    ops->setxattr = lc_op_setxattr;
    ops->removexattr = lc_op_removexattr;
    ops->flush = lc_op_flush;
    ops->getlk = lc_op_getlk;
    ops->setlk = lc_op_setlk;
    ops->flock = lc_op_flock;
}

struct fuse_lowlevel_ops lc_ops_table(bool rw)
{
    struct fuse_lowlevel_ops ops = {
        .init = connection_init,
        .lookup = lc_op_lookup,
        .forget = lc_op_forget,
        .forget_multi = lc_op_forget_multi,
        .getattr = lc_op_getattr,
        .readlink = lc_op_readlink,
        .statfs = lc_op_statfs,
        .open = lc_op_open,
        .read = lc_op_read,
        .flush = lc_op_flush_unneeded,
        .release = lc_op_release,
        .lseek = lc_op_lseek,
        .ioctl = lc_op_ioctl,
        .opendir = lc_op_opendir,
        .readdir = lc_op_readdir,
        .readdirplus = lc_op_readdirplus,
        .releasedir = lc_op_releasedir,
        .fsyncdir = lc_op_fsyncdir,
        .getxattr = lc_op_getxattr,
        .listxattr = lc_op_listxattr,
    };

    if (rw)
        write_handlers_add(&ops);
    return ops;
}
