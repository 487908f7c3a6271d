/* SPDX-License-Identifier: MIT */
/* inodes.h - the table of all inodes to which the kernel has references
 *
 * An inode does not keep a descriptor. It is identified by device and inode number, and remembers
 * the names (directory plus name) under which it was looked up. When needed it is opened by name,
 * and device and number of the opened file are compared. A name that leads to another file is
 * dropped; without any name left the answer is ESTALE, upon which the kernel looks the path up
 * again. Only the most recently used directories keep a descriptor. All mounts of a process share
 * one table.
 *
 * Every function may be called from any thread. Those that return int give 0 (or a descriptor),
 * or -1 with errno. */
#ifndef LC_STORMFS_INODES_H
#define LC_STORMFS_INODES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct lc_inodes;
struct lc_storm_inode;

/* Takes over root_fd, a descriptor of the source directory. NULL with errno. */
struct lc_inodes *lc_inodes_create(int root_fd);
void lc_inodes_destroy(struct lc_inodes *t);

/* The kernel's number of an inode is its address; the root's is 1. */
struct lc_storm_inode *lc_inodes_get(struct lc_inodes *t, uint64_t number);
uint64_t lc_inodes_number(const struct lc_inodes *t, const struct lc_storm_inode *inode);
size_t lc_inodes_count(struct lc_inodes *t);
size_t lc_inodes_cached_fds(struct lc_inodes *t);

/* Look up a name, and count one more reference of the kernel to what was found. */
int lc_inodes_lookup(struct lc_inodes *t, struct lc_storm_inode *dir, const char *name,
                     struct stat *st, struct lc_storm_inode **out);
/* As lc_inodes_lookup, but the caller has already called stat: 'st' describes 'name' in 'dir'.
 * NULL with errno ENOMEM. */
struct lc_storm_inode *lc_inodes_adopt(struct lc_inodes *t, struct lc_storm_inode *dir,
                                       const char *name, const struct stat *st);
/* The kernel drops 'count' references. */
void lc_inodes_forget(struct lc_inodes *t, struct lc_storm_inode *inode, uint64_t count);

int lc_inode_stat(struct lc_inodes *t, struct lc_storm_inode *inode, struct stat *st);
/* Open with O_... flags. Returns a descriptor, which the caller closes. */
int lc_inode_open(struct lc_inodes *t, struct lc_storm_inode *inode, int flags, struct stat *st);

/* An O_PATH descriptor of a directory that stays open until lc_inode_unpin. */
int lc_inode_pin_dir(struct lc_inodes *t, struct lc_storm_inode *inode);
void lc_inode_unpin(struct lc_inodes *t, struct lc_storm_inode *inode);

/* Where an inode can be reached: relative to fd, or fd itself when name is "". */
struct lc_inode_path {
    int fd;
    int own_fd;                    /* closed by lc_inode_path_close; or -1 */
    struct lc_storm_inode *pinned; /* the inode that owns fd; NULL if fd is own_fd */
    char name[NAME_MAX + 1];
};
int lc_inode_path_open(struct lc_inodes *t, struct lc_storm_inode *inode,
                       struct lc_inode_path *place);
void lc_inode_path_close(struct lc_inodes *t, struct lc_inode_path *place);

/* An open file. While it is open its inode can be reached even if all names are removed. */
struct lc_handle {
    int fd;
    struct lc_storm_inode *inode;
    struct lc_handle *next, **link;
};
void lc_handle_add(struct lc_inodes *t, struct lc_handle *h, struct lc_storm_inode *inode, int fd);
void lc_handle_remove(struct lc_inodes *t, struct lc_handle *h); /* does not close */

/* Has mount number 'mount' (below 64) opened this inode before, and is it unchanged since? Then the
 * content that the kernel has cached for that mount is still valid. */
bool lc_inode_cache_is_valid(struct lc_inodes *t, struct lc_storm_inode *inode, unsigned mount,
                             const struct stat *st);

/* For operations that change names. Call lc_inodes_hold before a name is removed (by unlink, or by
 * a rename onto it): it keeps a descriptor of the inode if this is its last name. All three ignore
 * names that were never looked up. */
void lc_inodes_hold(struct lc_inodes *t, struct lc_storm_inode *dir, const char *name);
void lc_inodes_name_removed(struct lc_inodes *t, struct lc_storm_inode *dir, const char *name,
                            const struct stat *st);
void lc_inodes_name_added(struct lc_inodes *t, struct lc_storm_inode *dir, const char *name,
                          const struct stat *st);

#endif
