/* SPDX-License-Identifier: MIT */
/* greeting.h - the answer to the kernel's INIT, with a flag that libfuse leaves out */
#ifndef LC_STORMFS_GREETING_H
#define LC_STORMFS_GREETING_H

struct fuse_session;
struct fuse_buf;

/* Process an INIT request. It is the first request of a session, so this thread is the only one
 * that uses the session's descriptor. */
void lc_greeting_process(struct fuse_session *session, const struct fuse_buf *buf);

#endif
