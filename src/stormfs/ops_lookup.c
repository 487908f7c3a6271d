/* SPDX-License-Identifier: MIT */
/* ops_lookup.c - requests about names and attributes */
#include "stormfs/ops.h"

#include <errno.h>
#include <limits.h>
#include <sys/statvfs.h>
#include <unistd.h>

double lc_attr_timeout(const struct lc_storm_mount *mount, const struct stat *st)
{
    const struct lc_profile *p = &mount->storm->options->profile;

    return S_ISDIR(st->st_mode) ? p->dir_cache_s : p->attr_cache_s;
}

void lc_entry_fill(struct lc_storm_mount *mount, struct lc_storm_inode *inode,
                   const struct stat *st, struct fuse_entry_param *e)
{
    const struct lc_profile *p = &mount->storm->options->profile;

    *e = (struct fuse_entry_param){
        .ino = lc_inodes_number(mount->storm->inodes, inode),
        .attr = *st,
        .attr_timeout = lc_attr_timeout(mount, st),
        .entry_timeout = S_ISDIR(st->st_mode) ? p->dir_cache_s : p->cache_s,
    };
}

int lc_entry_lookup(struct lc_storm_mount *mount, struct lc_storm_inode *dir, const char *name,
                    struct fuse_entry_param *e)
{
    struct lc_storm_inode *inode;
    struct stat st;

    if (lc_inodes_lookup(mount->storm->inodes, dir, name, &st, &inode) < 0)
        return -1;
    lc_entry_fill(mount, inode, &st, e);
    return 0;
}

void lc_entry_cancel(struct lc_storm_mount *mount, const struct fuse_entry_param *e)
{
    struct lc_inodes *t = mount->storm->inodes;

    lc_inodes_forget(t, lc_inodes_get(t, e->ino), 1);
}

/* The name does not exist. If the profile lets clients cache that, the answer is an entry with
 * inode number 0; else ENOENT. */
static void reply_miss(fuse_req_t req, int error)
{
    const struct fuse_entry_param none = {
        .entry_timeout = lc_request_mount(req)->storm->options->profile.negative_cache_s};

    if (error == ENOENT && none.entry_timeout > 0)
        lc_reply_absent(req, &none);
    else
        lc_reply_err(req, error);
}

void lc_op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
    struct lc_storm_mount *mount = lc_request_mount(req);
    struct fuse_entry_param e;

    if (!lc_request_begin(req, LC_OP_LOOKUP))
        return;
    if (lc_entry_lookup(mount, lc_request_inode(req, parent), name, &e) < 0)
        reply_miss(req, errno);
    else if (lc_reply_entry(req, &e) < 0)
        lc_entry_cancel(mount, &e);
}

void lc_op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t count)
{
    lc_inodes_forget(lc_request_inodes(req), lc_request_inode(req, ino), count);
    fuse_reply_none(req);
}

void lc_op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets)
{
    for (size_t i = 0; i < count; i++)
        lc_inodes_forget(lc_request_inodes(req), lc_request_inode(req, forgets[i].ino),
                         forgets[i].nlookup);
    fuse_reply_none(req);
}

void lc_op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    struct stat st;

    if (!lc_request_begin(req, LC_OP_GETATTR))
        return;
    int rc = fi ? fstat(lc_file_fd(fi), &st)
                : lc_inode_stat(lc_request_inodes(req), lc_request_inode(req, ino), &st);
    if (rc < 0)
        lc_reply_err(req, errno);
    else
        lc_reply_attr(req, &st, lc_attr_timeout(lc_request_mount(req), &st));
}

void lc_op_readlink(fuse_req_t req, fuse_ino_t ino)
{
    struct lc_inodes *t = lc_request_inodes(req);
    struct lc_inode_path place;
    char target[PATH_MAX + 1];

    if (!lc_request_begin(req, LC_OP_READLINK))
        return;
    if (lc_inode_path_open(t, lc_request_inode(req, ino), &place) < 0) {
        lc_reply_err(req, errno);
        return;
    }
    ssize_t n = readlinkat(place.fd, place.name, target, sizeof(target));
    if (n < 0 && errno == ENOENT)
        errno = ESTALE; /* renamed outside this mount: the kernel looks it up again */
    lc_inode_path_close(t, &place);
    if (n < 0 || n == sizeof(target)) {
        lc_reply_err(req, n < 0 ? errno : ENAMETOOLONG);
        return;
    }
    target[n] = '\0';
    lc_reply_readlink(req, target);
}

void lc_op_statfs(fuse_req_t req, fuse_ino_t ino)
{
    struct lc_inodes *t = lc_request_inodes(req);
    struct lc_storm_inode *root = lc_inodes_get(t, FUSE_ROOT_ID);
    struct statvfs st;

    (void)ino;
    if (!lc_request_begin(req, LC_OP_STATFS))
        return;
    int fd = lc_inode_pin_dir(t, root);
    int rc = fd < 0 ? -1 : fstatvfs(fd, &st), saved = errno;
    if (fd >= 0)
        lc_inode_unpin(t, root);
    if (rc < 0)
        lc_reply_err(req, saved);
    else
        lc_reply_statfs(req, &st);
}
