/* SPDX-License-Identifier: MIT */
/* inodes_private.h - private to inodes.c and inode_path.c: the structs of the inode table */
#ifndef LC_STORMFS_INODES_PRIVATE_H
#define LC_STORMFS_INODES_PRIVATE_H

#include <pthread.h>

#include "stormfs/inodes.h"

/* One name of an inode. The list begins with the name used last. */
struct lc_inode_name {
    struct lc_inode_name *next;
    struct lc_storm_inode *dir; /* has this name counted in its 'children' */
    char text[];
};

struct lc_storm_inode {
    struct lc_storm_inode *chain; /* of its hash bucket, or of lc_inodes.disowned */
    dev_t dev;
    ino_t ino;
    uint64_t lookups;  /* references the kernel holds */
    uint32_t children; /* remembered names whose directory this is */
    uint32_t pins;     /* functions that use fd now: it must stay open */
    int fd;            /* -1: none */
    mode_t type;
    bool is_held; /* fd stays open as the inode has no name any more; it is not in the list of
                     cached fds */
    bool is_hashed;
    struct lc_inode_name *names;
    struct lc_handle *handles;
    struct lc_storm_inode *newer, *older; /* list of cached directory fds */
    uint64_t seen_by; /* bit set of mounts that opened it with these times and size: */
    struct timespec mtime, ctime;
    off_t size;
};

struct lc_inodes {
    pthread_mutex_t lock; /* guards everything below and in all inodes */
    struct lc_storm_inode **bucket;
    size_t buckets; /* a power of two */
    size_t count;
    struct lc_storm_inode *newest, *oldest;
    size_t fds, most_fds;
    struct lc_storm_inode *root;
    struct lc_storm_inode
        *disowned; /* not in the table any more; the kernel still has references */
};

/* All of these: call with the lock held. */
void lc_inode_forget_name(struct lc_inodes *t, struct lc_storm_inode *inode,
                          struct lc_storm_inode *dir, const char *name);
void lc_inode_free_if_unused(struct lc_inodes *t, struct lc_storm_inode *inode);
void lc_inode_drop_fd(struct lc_inodes *t, struct lc_storm_inode *inode);
struct lc_storm_inode *lc_inodes_find(struct lc_inodes *t, const struct stat *st);

static inline bool lc_inode_is_same(const struct lc_storm_inode *inode, const struct stat *st)
{
    return inode->ino == st->st_ino && inode->dev == st->st_dev &&
           inode->type == (st->st_mode & S_IFMT);
}

#endif
