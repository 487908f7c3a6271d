/* SPDX-License-Identifier: MIT */
/* ops.h - the handlers of FUSE requests, and what they share */
#ifndef LC_STORMFS_OPS_H
#define LC_STORMFS_OPS_H

#include "stormfs/request.h"

/* The table of handlers; those that change the source only if 'rw'. */
struct fuse_lowlevel_ops lc_ops_table(bool rw);

/* An open file; the kernel's file handle (fh) is its address. */
struct lc_file {
    struct lc_handle handle;
};
/* Makes 'fd', which it takes over, an open file of 'inode'. Fills fi, and decides whether the
 * kernel may keep cached content. NULL with errno, and fd closed. */
struct lc_file *lc_file_create(struct lc_storm_mount *mount, struct lc_storm_inode *inode, int fd,
                               const struct stat *st, struct fuse_file_info *fi);
void lc_file_destroy(struct lc_inodes *t, struct lc_file *file);

static inline int lc_file_fd(const struct fuse_file_info *fi)
{
    return ((const struct lc_file *)(uintptr_t)fi->fh)->handle.fd;
}

/* The kernel's entry for an inode that was just looked up. */
void lc_entry_fill(struct lc_storm_mount *mount, struct lc_storm_inode *inode,
                   const struct stat *st, struct fuse_entry_param *e);
/* Look a name up and fill its entry. 0 or -1 with errno. */
int lc_entry_lookup(struct lc_storm_mount *mount, struct lc_storm_inode *dir, const char *name,
                    struct fuse_entry_param *e);
/* The entry did not reach the kernel: undo the reference that the look-up counted. */
void lc_entry_cancel(struct lc_storm_mount *mount, const struct fuse_entry_param *e);
double lc_attr_timeout(const struct lc_storm_mount *mount, const struct stat *st);

/* ops_lookup.c */
void lc_op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name);
void lc_op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t count);
void lc_op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets);
void lc_op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void lc_op_readlink(fuse_req_t req, fuse_ino_t ino);
void lc_op_statfs(fuse_req_t req, fuse_ino_t ino);

/* ops_file.c */
void lc_op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void lc_op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
                struct fuse_file_info *fi);
void lc_op_thread_end(void); /* frees the read buffer of this thread */
void lc_op_flush_unneeded(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void lc_op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void lc_op_lseek(fuse_req_t req, fuse_ino_t ino, off_t offset, int whence,
                 struct fuse_file_info *fi);
void lc_op_ioctl(fuse_req_t req, fuse_ino_t ino, unsigned cmd, void *arg, struct fuse_file_info *fi,
                 unsigned flags, const void *in, size_t in_size, size_t out_size);

/* ops_dir.c */
void lc_op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void lc_op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
                   struct fuse_file_info *fi);
void lc_op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
                       struct fuse_file_info *fi);
void lc_op_releasedir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void lc_op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi);

/* ops_xattr.c */
void lc_op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size);
void lc_op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size);
void lc_op_setxattr(fuse_req_t req, fuse_ino_t ino, const char *name, const char *value,
                    size_t size, int flags);
void lc_op_removexattr(fuse_req_t req, fuse_ino_t ino, const char *name);

#endif
