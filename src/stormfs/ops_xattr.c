/* SPDX-License-Identifier: MIT */
/* ops_xattr.c - extended attributes
 *
 * The kernels we support have no ...at() calls for extended attributes, so they are reached by a
 * path below /proc/self/fd: directory and name, without following a symbolic link, or the
 * descriptor. */
#include "stormfs/ops.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/xattr.h>

struct target {
    struct lc_inode_path place;
    char path[NAME_MAX + 48];
    bool by_name;
};

static int target_open(fuse_req_t req, fuse_ino_t ino, struct target *x)
{
    if (lc_inode_path_open(lc_request_inodes(req), lc_request_inode(req, ino), &x->place) < 0)
        return -1;
    x->by_name = x->place.name[0];
    snprintf(x->path, sizeof(x->path), "/proc/self/fd/%d%s%s", x->place.fd, x->by_name ? "/" : "",
             x->place.name);
    return 0;
}

static ssize_t xattr_get(const struct target *x, const char *name, char *value, size_t size)
{
    return x->by_name ? lgetxattr(x->path, name, value, size)
                      : getxattr(x->path, name, value, size);
}

static ssize_t xattr_list(const struct target *x, char *names, size_t size)
{
    return x->by_name ? llistxattr(x->path, names, size) : listxattr(x->path, names, size);
}

/* Replies with the value of attribute 'name' or, if that is NULL, with the list of names. If size
 * is 0 the client wants to know the size only. */
static void reply_value(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
    char *buf = size ? malloc(size) : NULL;
    struct target x;
    ssize_t n = -1;

    errno = ENOMEM;
    if ((size == 0 || buf) && target_open(req, ino, &x) == 0) {
        n = name ? xattr_get(&x, name, buf, size) : xattr_list(&x, buf, size);
        if (n < 0 && errno == ENOENT)
            errno = ESTALE; /* renamed outside this mount: the kernel looks it up again */
        lc_inode_path_close(lc_request_inodes(req), &x.place);
    }
    if (n < 0)
        lc_reply_err(req, errno);
    else if (size == 0)
        lc_reply_xattr(req, (size_t)n);
    else
        lc_reply_buf(req, buf, (size_t)n);
    free(buf);
}

void lc_op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
    if (lc_request_begin(req, LC_OP_GETXATTR))
        reply_value(req, ino, name, size);
}

void lc_op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
    if (lc_request_begin(req, LC_OP_LISTXATTR))
        reply_value(req, ino, NULL, size);
}

void lc_op_setxattr(fuse_req_t req, fuse_ino_t ino, const char *name, const char *value,
                    size_t size, int flags)
{
    struct target x;

    if (!lc_request_begin(req, LC_OP_SETXATTR))
        return;
    if (target_open(req, ino, &x) < 0) {
        lc_reply_err(req, errno);
        return;
    }
    int rc = x.by_name ? lsetxattr(x.path, name, value, size, flags)
                       : setxattr(x.path, name, value, size, flags);
    lc_inode_path_close(lc_request_inodes(req), &x.place);
    lc_reply_result(req, rc);
}

void lc_op_removexattr(fuse_req_t req, fuse_ino_t ino, const char *name)
{
    struct target x;

    if (!lc_request_begin(req, LC_OP_REMOVEXATTR))
        return;
    if (target_open(req, ino, &x) < 0) {
        lc_reply_err(req, errno);
        return;
    }
    int rc = x.by_name ? lremovexattr(x.path, name) : removexattr(x.path, name);
    lc_inode_path_close(lc_request_inodes(req), &x.place);
    lc_reply_result(req, rc);
}
