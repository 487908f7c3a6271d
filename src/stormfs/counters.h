/* SPDX-License-Identifier: MIT */
/* counters.h - requests of the clients, counted by operation and result
 *
 * Every request that has an answer is counted once, just before it is answered, so that a
 * client that has its answer finds it in the statistics. FORGET and INTERRUPT, which have no
 * answer, and INIT and DESTROY, which concern the connection only, are not counted. */
#ifndef LC_STORMFS_COUNTERS_H
#define LC_STORMFS_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

enum lc_op {
    LC_OP_LOOKUP,
    LC_OP_GETATTR,
    LC_OP_SETATTR,
    LC_OP_READLINK,
    LC_OP_SYMLINK,
    LC_OP_MKNOD,
    LC_OP_MKDIR,
    LC_OP_UNLINK,
    LC_OP_RMDIR,
    LC_OP_RENAME,
    LC_OP_LINK,
    LC_OP_OPEN,
    LC_OP_CREATE,
    LC_OP_READ,
    LC_OP_WRITE,
    LC_OP_STATFS,
    LC_OP_RELEASE,
    LC_OP_FSYNC,
    LC_OP_SETXATTR,
    LC_OP_GETXATTR,
    LC_OP_LISTXATTR,
    LC_OP_REMOVEXATTR,
    LC_OP_FLUSH,
    LC_OP_OPENDIR,
    LC_OP_READDIR,
    LC_OP_READDIRPLUS,
    LC_OP_RELEASEDIR,
    LC_OP_FSYNCDIR,
    LC_OP_GETLK,
    LC_OP_SETLK,
    LC_OP_FLOCK,
    LC_OP_ACCESS,
    LC_OP_FALLOCATE,
    LC_OP_LSEEK,
    LC_OP_COPY_FILE_RANGE,
    LC_OP_IOCTL, /* isatty() on an open file; only FUSE sends it to the file system */
    LC_OP_STATX, /* Linux 6.6 and later try it once, then use GETATTR */
    LC_OP_OTHER, /* other requests that stormfs does not implement: POLL, BMAP, ... */
    LC_OPS,
    LC_OP_NONE = LC_OPS, /* not counted */
};

enum lc_result {
    LC_RESULT_OK,
    LC_RESULT_ABSENT, /* ENOENT, ENOTDIR, ENODATA: the name or attribute does not exist */
    LC_RESULT_ERROR,
    LC_RESULTS,
};

struct lc_counters {
    _Atomic uint64_t count[LC_OPS][LC_RESULTS];
    _Atomic uint64_t bytes_read;
    _Atomic uint64_t bytes_written;
};

const char *lc_op_name(enum lc_op op);          /* "LOOKUP" */
const char *lc_result_name(enum lc_result res); /* "ok", "absent", "error" */

/* The operation of a FUSE request, by its opcode; LC_OP_NONE if requests of this kind are not
 * counted. */
enum lc_op lc_op_of_opcode(uint32_t opcode);

/* Does this operation take service time of the metadata server? */
int lc_op_is_charged(enum lc_op op);

/* How an errno value is counted; 0 is ok. */
enum lc_result lc_result_of_errno(int error);

void lc_counters_add(struct lc_counters *c, enum lc_op op, enum lc_result res);
void lc_counters_reset(struct lc_counters *c);

/* Adds every counter of 'from' to 'to'. */
void lc_counters_sum(struct lc_counters *to, const struct lc_counters *from);

#endif
