/* SPDX-License-Identifier: MIT */
/* inode_path.c - reaching an inode: by its directory and name, by a cached or an open descriptor */
#include "stormfs/inodes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stormfs/inodes_private.h"

/* Remove from and add to the list of cached descriptors, which is ordered by last use. */
static void fd_list_remove(struct lc_inodes *t, struct lc_storm_inode *i)
{
    *(i->newer ? &i->newer->older : &t->newest) = i->older;
    *(i->older ? &i->older->newer : &t->oldest) = i->newer;
    i->newer = i->older = NULL;
    t->fds--;
}

static void fd_list_add(struct lc_inodes *t, struct lc_storm_inode *i)
{
    i->older = t->newest;
    *(t->newest ? &t->newest->newer : &t->oldest) = i;
    t->newest = i;
    t->fds++;
}

void lc_inode_drop_fd(struct lc_inodes *t, struct lc_storm_inode *inode)
{
    if (inode->fd < 0)
        return;
    if (!inode->is_held)
        fd_list_remove(t, inode);
    inode->is_held = false;
    close(inode->fd);
    inode->fd = -1;
}

static void fd_cache_shrink(struct lc_inodes *t)
{
    struct lc_storm_inode *i = t->oldest;

    while (i && t->fds > t->most_fds) {
        struct lc_storm_inode *next = i->newer;
        if (i->pins == 0)
            lc_inode_drop_fd(t, i);
        i = next;
    }
}

static int inode_pin_cached(struct lc_inodes *t, struct lc_storm_inode *inode)
{
    if (inode->fd < 0)
        return -1;
    inode->pins++;
    if (!inode->is_held && t->newest != inode) {
        fd_list_remove(t, inode);
        fd_list_add(t, inode);
    }
    return inode->fd;
}

/* Caches 'fd' as the descriptor of a directory, or closes it if another thread has cached one
 * meanwhile. Returns the cached descriptor, pinned. */
static int inode_cache_fd(struct lc_inodes *t, struct lc_storm_inode *inode, int fd)
{
    pthread_mutex_lock(&t->lock);
    if (inode->fd < 0) {
        inode->fd = fd;
        fd_list_add(t, inode);
        fd = -1;
    }
    int pinned = inode_pin_cached(t, inode);
    fd_cache_shrink(t);
    pthread_mutex_unlock(&t->lock);
    if (fd >= 0)
        close(fd);
    return pinned;
}

int lc_inode_pin_dir(struct lc_inodes *t, struct lc_storm_inode *inode)
{
    struct stat st;

    pthread_mutex_lock(&t->lock);
    int fd = inode_pin_cached(t, inode);
    pthread_mutex_unlock(&t->lock);
    if (fd >= 0)
        return fd;
    fd = lc_inode_open(t, inode, O_PATH | O_DIRECTORY, &st);
    return fd < 0 ? -1 : inode_cache_fd(t, inode, fd);
}

void lc_inode_unpin(struct lc_inodes *t, struct lc_storm_inode *inode)
{
    pthread_mutex_lock(&t->lock);
    inode->pins--;
    lc_inode_free_if_unused(t, inode);
    pthread_mutex_unlock(&t->lock);
}

/* For an inode without a name: a copy of the descriptor of any open file of it. */
static int path_from_handle(struct lc_storm_inode *inode, struct lc_inode_path *place)
{
    errno = ESTALE;
    if (!inode->handles)
        return -1;
    place->own_fd = place->fd = fcntl(inode->handles->fd, F_DUPFD_CLOEXEC, 0);
    return place->fd < 0 ? -1 : 0;
}

int lc_inode_path_open(struct lc_inodes *t, struct lc_storm_inode *inode,
                       struct lc_inode_path *place)
{
    struct lc_storm_inode *dir;
    int rc = 0;

    place->name[0] = '\0';
    place->own_fd = -1;
    place->pinned = NULL;
    pthread_mutex_lock(&t->lock);
    place->fd = inode_pin_cached(t, inode);
    if (place->fd >= 0) {
        place->pinned = inode;
    } else if (!inode->names) {
        rc = path_from_handle(inode, place);
    } else {
        place->pinned = dir = inode->names->dir;
        snprintf(place->name, sizeof(place->name), "%s", inode->names->text);
        dir->pins++;
    }
    pthread_mutex_unlock(&t->lock);
    if (place->fd >= 0 || rc < 0)
        return rc;
    dir = place->pinned;
    place->fd = lc_inode_pin_dir(t, dir);
    int saved = errno;
    lc_inode_unpin(t, dir); /* drops the pin taken above; lc_inode_pin_dir has added its own */
    errno = saved;
    return place->fd < 0 ? -1 : 0;
}

void lc_inode_path_close(struct lc_inodes *t, struct lc_inode_path *place)
{
    int saved = errno;

    if (place->own_fd >= 0)
        close(place->own_fd);
    else
        lc_inode_unpin(t, place->pinned);
    errno = saved;
}

/* If the name did not lead to the inode (by errno: no such file; 0: another file), forgets the name
 * and returns true. */
static bool name_drop_if_wrong(struct lc_inodes *t, struct lc_storm_inode *inode,
                               const struct lc_inode_path *place)
{
    if (!place->name[0] ||
        (errno != 0 && errno != ENOENT && errno != ENOTDIR && errno != ELOOP && errno != ESTALE))
        return false;
    pthread_mutex_lock(&t->lock);
    lc_inode_forget_name(t, inode, place->pinned, place->name);
    pthread_mutex_unlock(&t->lock);
    return true;
}

/* Opens by name or, if there is only a descriptor, opens its file again through /proc. */
static int path_reopen(const struct lc_inode_path *place, int flags)
{
    char proc[40];

    if (place->name[0])
        return openat(place->fd, place->name, flags | O_NOFOLLOW | O_CLOEXEC);
    if ((flags & (O_PATH | O_DIRECTORY)) == (O_PATH | O_DIRECTORY))
        return openat(place->fd, ".", flags | O_CLOEXEC);
    snprintf(proc, sizeof(proc), "/proc/self/fd/%d", place->fd);
    return open(proc, flags | O_CLOEXEC);
}

/* Fills *st and sets *fd to -1, or to an open file if flags >= 0. On failure *fd is -1. */
static int path_try(const struct lc_inode_path *place, int flags, struct stat *st, int *fd)
{
    *fd = -1;
    if (flags < 0)
        return fstatat(place->fd, place->name, st, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW);
    *fd = path_reopen(place, flags);
    return *fd < 0 ? -1 : fstat(*fd, st);
}

/* Describes the inode and, if flags >= 0, opens it: *fd. Tries each of its names until one leads to
 * it. 0, or -1 with errno. */
static int inode_reach(struct lc_inodes *t, struct lc_storm_inode *inode, int flags,
                       struct stat *st, int *fd)
{
    struct lc_inode_path place;
    bool again = true;

    while (again && lc_inode_path_open(t, inode, &place) == 0) {
        int rc = path_try(&place, flags, st, fd);
        if (rc == 0 && lc_inode_is_same(inode, st)) {
            lc_inode_path_close(t, &place);
            return 0;
        }
        if (*fd >= 0)
            close(*fd);
        if (rc == 0)
            errno = 0;
        again = name_drop_if_wrong(t, inode, &place);
        lc_inode_path_close(t, &place);
    }
    if (errno == 0)
        errno = ESTALE;
    return -1;
}

int lc_inode_stat(struct lc_inodes *t, struct lc_storm_inode *inode, struct stat *st)
{
    int none = -1;

    return inode_reach(t, inode, -1, st, &none);
}

int lc_inode_open(struct lc_inodes *t, struct lc_storm_inode *inode, int flags, struct stat *st)
{
    int fd = -1;

    return inode_reach(t, inode, flags, st, &fd) < 0 ? -1 : fd;
}

void lc_handle_add(struct lc_inodes *t, struct lc_handle *h, struct lc_storm_inode *inode, int fd)
{
    pthread_mutex_lock(&t->lock);
    h->fd = fd;
    h->inode = inode;
    h->next = inode->handles;
    h->link = &inode->handles;
    if (h->next)
        h->next->link = &h->next;
    inode->handles = h;
    pthread_mutex_unlock(&t->lock);
}

void lc_handle_remove(struct lc_inodes *t, struct lc_handle *h)
{
    pthread_mutex_lock(&t->lock);
    *h->link = h->next;
    if (h->next)
        h->next->link = h->link;
    lc_inode_free_if_unused(t, h->inode);
    pthread_mutex_unlock(&t->lock);
}

/* If the inode is about to lose its last name, keeps a descriptor of it open: the cached one, or
 * 'fd', which it takes over. */
static void inode_hold(struct lc_inodes *t, struct lc_storm_inode *inode, int fd)
{
    if (inode->is_held || inode->lookups == 0 || (inode->names && inode->names->next)) {
        close(fd);
        return;
    }
    if (inode->fd >= 0) {
        fd_list_remove(t, inode);
        close(fd);
    } else {
        inode->fd = fd;
    }
    inode->is_held = true;
}

void lc_inodes_hold(struct lc_inodes *t, struct lc_storm_inode *dir, const char *name)
{
    struct stat st;
    int dir_fd = lc_inode_pin_dir(t, dir);

    if (dir_fd < 0)
        return;
    int fd = openat(dir_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0) {
        pthread_mutex_lock(&t->lock);
        struct lc_storm_inode *inode = lc_inodes_find(t, &st);
        if (inode && lc_inode_is_same(inode, &st))
            inode_hold(t, inode, fd);
        else
            close(fd);
        pthread_mutex_unlock(&t->lock);
    } else if (fd >= 0) {
        close(fd);
    }
    lc_inode_unpin(t, dir);
}
