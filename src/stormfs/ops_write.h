/* SPDX-License-Identifier: MIT */
/* ops_write.h - the handlers that need --rw */
#ifndef LC_STORMFS_OPS_WRITE_H
#define LC_STORMFS_OPS_WRITE_H

#include "stormfs/request.h"

/* ops_write.c */
void lc_op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set,
                   struct fuse_file_info *fi);
void lc_op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t offset,
                 struct fuse_file_info *fi);
void lc_op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi);
void lc_op_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t offset, off_t length,
                     struct fuse_file_info *fi);
void lc_op_copy_file_range(fuse_req_t req, fuse_ino_t from, off_t from_offset,
                           struct fuse_file_info *from_fi, fuse_ino_t to, off_t to_offset,
                           struct fuse_file_info *to_fi, size_t len, int flags);

/* ops_create.c */
void lc_op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev);
void lc_op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode);
void lc_op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name);
void lc_op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name);
void lc_op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
                  struct fuse_file_info *fi);

/* ops_remove.c */
void lc_op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name);
void lc_op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name);
void lc_op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t new_parent,
                  const char *new_name, unsigned flags);

/* locks.c */
void lc_op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void lc_op_getlk(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi, struct flock *lock);
void lc_op_setlk(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi, struct flock *lock,
                 int sleep);
void lc_op_flock(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi, int op);

#endif
