/* SPDX-License-Identifier: MIT */
/* init_reply.h - the answer to the kernel's INIT, with a flag that libfuse leaves out */
#ifndef LC_STORMFS_INIT_REPLY_H
#define LC_STORMFS_INIT_REPLY_H

struct fuse_session;
struct fuse_buf;

/* Process an INIT request. It must be the first request of the session, when no other thread uses
 * the session's descriptor, which is replaced for a moment. */
void lc_init_reply_process(struct fuse_session *session, const struct fuse_buf *buf);

#endif
