/* SPDX-License-Identifier: MIT */
/* request.h - the steps of every request: freeze switch, queue, counters, answer
 *
 * A handler begins with lc_request_begin, which waits for the server, and ends with exactly one
 * lc_reply_..., which counts the request and answers it. The current request of each thread is kept
 * in a thread-local variable. */
#ifndef LC_STORMFS_REQUEST_H
#define LC_STORMFS_REQUEST_H

#include "stormfs/storm.h"

/* The worker is about to process a request of this operation. */
void lc_request_arrived(struct lc_storm_mount *mount, enum lc_op op);
/* The worker has processed the request. If it has no handler (libfuse answered that it is not
 * implemented), it is counted here. */
void lc_request_done(void);

/* Wait while frozen, then for the server. False: the client was killed while the server was
 * frozen, and the request has been answered. */
bool lc_request_begin(fuse_req_t req, enum lc_op op);

/* Waits as long as the transfer of 'bytes' over the data path takes. */
void lc_request_transfer(fuse_req_t req, uint64_t bytes);

struct lc_storm_mount *lc_request_mount(fuse_req_t req);
struct lc_inodes *lc_request_inodes(fuse_req_t req);
struct lc_storm_inode *lc_request_inode(fuse_req_t req, fuse_ino_t ino);

/* Like fuse_reply_...: 0, or negative if the client no longer waits for the answer. */
int lc_reply_err(fuse_req_t req, int error);
int lc_reply_result(fuse_req_t req, int rc); /* errno if rc < 0, else success */
int lc_reply_entry(fuse_req_t req, const struct fuse_entry_param *e);
int lc_reply_absent(fuse_req_t req, const struct fuse_entry_param *e); /* a cached miss */
int lc_reply_create(fuse_req_t req, const struct fuse_entry_param *e,
                    const struct fuse_file_info *fi);
int lc_reply_attr(fuse_req_t req, const struct stat *st, double timeout_s);
int lc_reply_readlink(fuse_req_t req, const char *target);
int lc_reply_open(fuse_req_t req, const struct fuse_file_info *fi);
int lc_reply_buf(fuse_req_t req, const char *buf, size_t size);
int lc_reply_write(fuse_req_t req, size_t bytes);
int lc_reply_statfs(fuse_req_t req, const struct statvfs *st);
int lc_reply_xattr(fuse_req_t req, size_t size);
int lc_reply_lock(fuse_req_t req, const struct flock *lock);
int lc_reply_lseek(fuse_req_t req, off_t offset);

#endif
