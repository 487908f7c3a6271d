/* SPDX-License-Identifier: MIT */
/* counters.c - requests of the clients, counted by operation and result
 *
 * The table also says which operations the metadata queue charges. Data (READ, WRITE)
 * goes through the data path instead. Closing (FLUSH, RELEASE, RELEASEDIR) is
 * counted, not charged: see doc/decisions/stormfs.md. */
#include "stormfs/counters.h"

#include <errno.h>
#include <linux/fuse.h>

/* Opcodes that older kernel headers lack are given as numbers. */
static const struct {
    const char *name;
    uint32_t opcode;
    int is_charged;
} ops[LC_OPS] = {
    [LC_OP_LOOKUP] = {"LOOKUP", FUSE_LOOKUP, 1},
    [LC_OP_GETATTR] = {"GETATTR", FUSE_GETATTR, 1},
    [LC_OP_SETATTR] = {"SETATTR", FUSE_SETATTR, 1},
    [LC_OP_READLINK] = {"READLINK", FUSE_READLINK, 1},
    [LC_OP_SYMLINK] = {"SYMLINK", FUSE_SYMLINK, 1},
    [LC_OP_MKNOD] = {"MKNOD", FUSE_MKNOD, 1},
    [LC_OP_MKDIR] = {"MKDIR", FUSE_MKDIR, 1},
    [LC_OP_UNLINK] = {"UNLINK", FUSE_UNLINK, 1},
    [LC_OP_RMDIR] = {"RMDIR", FUSE_RMDIR, 1},
    [LC_OP_RENAME] = {"RENAME", FUSE_RENAME, 1},
    [LC_OP_LINK] = {"LINK", FUSE_LINK, 1},
    [LC_OP_OPEN] = {"OPEN", FUSE_OPEN, 1},
    [LC_OP_CREATE] = {"CREATE", FUSE_CREATE, 1},
    [LC_OP_READ] = {"READ", FUSE_READ, 0},
    [LC_OP_WRITE] = {"WRITE", FUSE_WRITE, 0},
    [LC_OP_STATFS] = {"STATFS", FUSE_STATFS, 1},
    [LC_OP_RELEASE] = {"RELEASE", FUSE_RELEASE, 0},
    [LC_OP_FSYNC] = {"FSYNC", FUSE_FSYNC, 1},
    [LC_OP_SETXATTR] = {"SETXATTR", FUSE_SETXATTR, 1},
    [LC_OP_GETXATTR] = {"GETXATTR", FUSE_GETXATTR, 1},
    [LC_OP_LISTXATTR] = {"LISTXATTR", FUSE_LISTXATTR, 1},
    [LC_OP_REMOVEXATTR] = {"REMOVEXATTR", FUSE_REMOVEXATTR, 1},
    [LC_OP_FLUSH] = {"FLUSH", FUSE_FLUSH, 0},
    [LC_OP_OPENDIR] = {"OPENDIR", FUSE_OPENDIR, 1},
    [LC_OP_READDIR] = {"READDIR", FUSE_READDIR, 1},
    [LC_OP_READDIRPLUS] = {"READDIRPLUS", FUSE_READDIRPLUS, 1},
    [LC_OP_RELEASEDIR] = {"RELEASEDIR", FUSE_RELEASEDIR, 0},
    [LC_OP_FSYNCDIR] = {"FSYNCDIR", FUSE_FSYNCDIR, 1},
    [LC_OP_GETLK] = {"GETLK", FUSE_GETLK, 1},
    [LC_OP_SETLK] = {"SETLK", FUSE_SETLK, 1},
    [LC_OP_FLOCK] = {"FLOCK", 0, 1}, /* in the protocol a SETLK with a flag */
    [LC_OP_ACCESS] = {"ACCESS", FUSE_ACCESS, 1},
    [LC_OP_FALLOCATE] = {"FALLOCATE", FUSE_FALLOCATE, 1},
    [LC_OP_LSEEK] = {"LSEEK", 46, 1},
    [LC_OP_COPY_FILE_RANGE] = {"COPY_FILE_RANGE", 47, 1},
    [LC_OP_IOCTL] = {"IOCTL", FUSE_IOCTL, 0},
    [LC_OP_STATX] = {"STATX", 52, 0}, /* not implemented */
    [LC_OP_OTHER] = {"OTHER", 0, 0},
};

static const char *const results[LC_RESULTS] = {"ok", "absent", "error"};

const char *lc_op_name(enum lc_op op)
{
    return ops[op].name;
}

const char *lc_result_name(enum lc_result res)
{
    return results[res];
}

enum lc_op lc_op_of_opcode(uint32_t opcode)
{
    switch (opcode) {
    case FUSE_INIT:
    case FUSE_DESTROY:
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
        return LC_OP_NONE;
    case FUSE_RENAME2:
        return LC_OP_RENAME;
    case FUSE_SETLKW:
        return LC_OP_SETLK;
    }
    for (int op = 0; op < LC_OPS; op++)
        if (ops[op].opcode == opcode)
            return (enum lc_op)op;
    return LC_OP_OTHER;
}

int lc_op_is_charged(enum lc_op op)
{
    return op < LC_OPS && ops[op].is_charged;
}

enum lc_result lc_result_of_errno(int error)
{
    switch (error) {
    case 0:
        return LC_RESULT_OK;
    case ENOENT:
    case ENOTDIR:
    case ENODATA:
        return LC_RESULT_ABSENT;
    default:
        return LC_RESULT_ERROR;
    }
}

void lc_counters_add(struct lc_counters *c, enum lc_op op, enum lc_result res)
{
    if (op < LC_OPS)
        atomic_fetch_add_explicit(&c->count[op][res], 1, memory_order_relaxed);
}

void lc_counters_reset(struct lc_counters *c)
{
    for (int op = 0; op < LC_OPS; op++)
        for (int res = 0; res < LC_RESULTS; res++)
            atomic_store(&c->count[op][res], 0);
    atomic_store(&c->bytes_read, 0);
    atomic_store(&c->bytes_written, 0);
}

void lc_counters_sum(struct lc_counters *to, const struct lc_counters *from)
{
    for (int op = 0; op < LC_OPS; op++)
        for (int res = 0; res < LC_RESULTS; res++)
            to->count[op][res] += from->count[op][res];
    to->bytes_read += from->bytes_read;
    to->bytes_written += from->bytes_written;
}
