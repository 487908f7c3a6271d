/* SPDX-License-Identifier: MIT */
/* inodes_private.h - the table's inside, for inodes.c and places.c */
#ifndef LC_STORMFS_INODES_PRIVATE_H
#define LC_STORMFS_INODES_PRIVATE_H

#include <pthread.h>

#include "stormfs/inodes.h"

/* One way to reach an inode; the newest first. */
struct lc_inode_name {
    struct lc_inode_name *next;
    struct lc_storm_inode *dir; /* counted there as a child */
    char text[];
};

struct lc_storm_inode {
    struct lc_storm_inode *chain; /* of its hash bucket */
    dev_t dev;
    ino_t ino;
    uint64_t lookups;  /* references the kernel holds */
    uint32_t children; /* names that stand in this directory */
    uint32_t pins;     /* users of fd at this moment */
    int fd;            /* -1: none */
    mode_t type;
    bool is_held; /* fd is kept for good: nameless but alive; not in the list of fds */
    bool is_hashed;
    struct lc_inode_name *names;
    struct lc_handle *handles;
    struct lc_storm_inode *newer, *older; /* list of cached directory fds */
    uint64_t seen_by;                     /* mounts that opened it in this state: */
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
};

/* With the lock held. */
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
