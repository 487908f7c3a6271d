/* SPDX-License-Identifier: MIT */
/* inodes.h - what the kernel knows of the source tree, without a descriptor for each of it
 *
 * An inode is known by device and number, and by the names under which it was met: directory plus
 * name. It is opened by name when needed, and what was opened is compared with what was meant;
 * a name that leads elsewhere is forgotten, and without any name left the answer is ESTALE, upon
 * which the kernel looks the path up again. Only directories keep a descriptor, and only the most
 * recently used of them. All mounts of a process share one table.
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
/* The same for what was found already: 'st' belongs to dir's 'name', or did a moment ago. NULL
 * with errno ENOMEM. */
struct lc_storm_inode *lc_inodes_adopt(struct lc_inodes *t, struct lc_storm_inode *dir,
                                       const char *name, const struct stat *st);
/* The kernel drops 'count' references. */
void lc_inodes_forget(struct lc_inodes *t, struct lc_storm_inode *inode, uint64_t count);

int lc_inode_stat(struct lc_inodes *t, struct lc_storm_inode *inode, struct stat *st);
/* Open with O_... flags; a descriptor of the caller's own. */
int lc_inode_open(struct lc_inodes *t, struct lc_storm_inode *inode, int flags, struct stat *st);

/* An O_PATH descriptor of a directory that stays open until lc_inode_unpin. */
int lc_inode_pin_dir(struct lc_inodes *t, struct lc_storm_inode *inode);
void lc_inode_unpin(struct lc_inodes *t, struct lc_storm_inode *inode);

/* Where an inode can be reached: relative to fd, or fd itself when name is "". */
struct lc_inode_path {
    int fd;
    int own_fd;                    /* closed with the place; or -1 */
    struct lc_storm_inode *pinned; /* whose descriptor fd is, unless it is own_fd */
    char name[NAME_MAX + 1];
};
int lc_inode_path_open(struct lc_inodes *t, struct lc_storm_inode *inode,
                       struct lc_inode_path *place);
void lc_inode_path_close(struct lc_inodes *t, struct lc_inode_path *place);

/* An open file, by which its inode can be reached even without a name. */
struct lc_handle {
    int fd;
    struct lc_storm_inode *inode;
    struct lc_handle *next, **link;
};
void lc_handle_add(struct lc_inodes *t, struct lc_handle *h, struct lc_storm_inode *inode, int fd);
void lc_handle_remove(struct lc_inodes *t, struct lc_handle *h); /* does not close */

/* Has mount number 'mount' (below 64) opened this inode before, and is it unchanged since? Then
 * what its kernel has cached of the content is still good. */
bool lc_inode_is_kept(struct lc_inodes *t, struct lc_storm_inode *inode, unsigned mount,
                      const struct stat *st);

/* The write half: names change. lc_inodes_hold comes before a name is removed (by unlink or by a
 * rename onto it) and keeps what is behind it reachable; both tolerate names never looked up. */
void lc_inodes_hold(struct lc_inodes *t, struct lc_storm_inode *dir, const char *name);
void lc_inodes_name_removed(struct lc_inodes *t, struct lc_storm_inode *dir, const char *name,
                            const struct stat *st);
void lc_inodes_name_added(struct lc_inodes *t, struct lc_storm_inode *dir, const char *name,
                          const struct stat *st);

#endif
