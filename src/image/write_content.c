/* SPDX-License-Identifier: MIT */
/* write_content.c - write one file's content to an image: from the file, from another image, or
 * from memory */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "image/write_private.h"
#include "util/clock.h"

enum { ATTEMPTS = 5 /* at a file that changes while it is read */, NOT_TO_BE_COPIED = -3 };

static void set_stored(struct lc_tree_entry *node, const struct lc_stored *c)
{
    node->stat.data = c->offset;
    node->stat.size = c->size;
    node->stat.hash[0] = c->hash[0];
    node->stat.hash[1] = c->hash[1];
}

static bool is_unchanged(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Set a new stat; mount and birth time stay as they were. */
static void renew_stat(struct lc_tree_entry *node, const struct stat *st)
{
    uint32_t mount = node->stat.mount, btime_ns = node->stat.btime_ns;
    uint32_t flags = node->stat.flags;
    int64_t btime = node->stat.btime;
    bool same = node->stat.ctime == st->st_ctim.tv_sec &&
                node->stat.ctime_ns == (uint32_t)st->st_ctim.tv_nsec;

    lc_tree_entry_set_stat(node, st);
    node->stat.mount = mount;
    node->stat.btime = btime;
    node->stat.btime_ns = btime_ns;
    node->stat.flags = flags & (same ? LC_INODE_ATTRIBUTES : LC_INODE_ACL);
}

/* Does the file have capabilities? The kernel grants them to the original file only, so a copy
 * would behave differently. */
static bool has_capabilities(int fd, mode_t mode)
{
    return (mode & 0111) && fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

/* Store a file that was read already. */
static int store_read(struct lc_writing *w, const struct lc_item *item, struct lc_file_read *got,
                      struct lc_stored *c)
{
    renew_stat(item->node, &got->before);
    item->node->stat.flags |= got->is_fresh ? LC_INODE_FRESH : 0;
    memcpy(c->hash, got->hash, sizeof(c->hash));
    int rc = lc_store_hashed(&w->store, got->bytes, (uint64_t)got->before.st_size, c);
    free(got->bytes);
    return rc;
}

/* One attempt to read a file. 1 if the file changed meanwhile, LC_STORE_READ_FAILED,
 * NOT_TO_BE_COPIED, -1 or 0. */
static int read_once(struct lc_writing *w, const struct lc_item *item, struct lc_stored *c)
{
    struct stat before, after;
    uint64_t asked_ns = lc_clock_ns();
    int fd = open(item->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

    lc_read_ahead_note(w->ahead, lc_clock_ns() - asked_ns);
    if (fd < 0)
        return LC_STORE_READ_FAILED;
    int rc = fstat(fd, &before) < 0 ? LC_STORE_READ_FAILED : 0;
    if (rc == 0 && has_capabilities(fd, before.st_mode))
        rc = NOT_TO_BE_COPIED;
    if (rc == 0 && !S_ISREG(before.st_mode)) {
        errno = ENOTSUP;
        rc = LC_STORE_READ_FAILED;
    }
    if (rc == 0) {
        renew_stat(item->node, &before);
        if (lc_tree_entry_is_fresh(item->node))
            item->node->stat.flags |= LC_INODE_FRESH;
        int sparse = before.st_blocks * 512 < before.st_size;
        rc = lc_store_fd(&w->store, fd, 0, (uint64_t)before.st_size, sparse, c);
    }
    if (rc == 0 && (fstat(fd, &after) < 0 || !is_unchanged(&before, &after) ||
                    c->size != (uint64_t)before.st_size))
        rc = 1;
    int saved = errno;
    close(fd);
    errno = saved;
    return rc;
}

/* Record the file's stat without content: its content is always read from the file system. */
static int keep_stat_only(struct lc_writing *w, const struct lc_item *item, const char *why)
{
    item->node->source = LC_SOURCE_NONE;
    item->node->stat.data = LC_NO_CONTENT;
    lc_writing_skip(w, item->path, why);
    return 0;
}

static int write_file(struct lc_writing *w, const struct lc_item *item)
{
    struct lc_stored c = {0};
    struct lc_file_read got;
    int rc = 1;

    if (lc_read_ahead_take(w->ahead, (size_t)(item - w->item), &got))
        rc = store_read(w, item, &got, &c);
    for (int i = 0; i < ATTEMPTS && rc == 1; i++) {
        if (i > 0) {
            w->did->retries++;
            usleep(20000u << i);
        }
        rc = read_once(w, item, &c);
    }
    if (rc == -1)
        return lc_writing_fail(w);
    if (rc == LC_STORE_READ_FAILED && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP ||
                                       errno == ENOTSUP || errno == ENXIO)) {
        item->node->kind = 0; /* removed since it was seen: nothing is known of it */
        lc_writing_skip(w, item->path, strerror(errno));
        return 0;
    }
    if (rc == LC_STORE_READ_FAILED)
        return keep_stat_only(w, item, strerror(errno));
    if (rc == NOT_TO_BE_COPIED)
        return keep_stat_only(w, item, "it has file capabilities, which a copy would not have");
    if (rc == 1) {
        item->node->kind = 0;
        lc_writing_skip(w, item->path, "it keeps changing while it is read");
        return 0;
    }
    set_stored(item->node, &c);
    w->did->content_bytes += c.size;
    return 0;
}

/* Take content that another image already holds. */
static int write_from_image(struct lc_writing *w, const struct lc_item *item)
{
    const struct lc_tree_entry *node = item->node;
    struct lc_stored c = {.size = node->from->size,
                          .hash = {node->from->hash[0], node->from->hash[1]}};
    const struct lc_image *home =
        (node->from->flags & LC_INODE_IN_BASE) ? node->image->base : node->image;
    int fd;
    off_t offset;

    if (w->how->base && home == w->how->base) {
        c.offset = node->from->data;
        set_stored(item->node, &c);
        item->node->stat.flags |= LC_INODE_IN_BASE;
        return 0;
    }
    if (!lc_image_content(node->image, node->from, &fd, &offset))
        return keep_stat_only(w, item, "its content is not in the image");
    if (!lc_store_known(&w->store, &c) && lc_store_fd(&w->store, fd, offset, c.size, 0, &c) != 0)
        return lc_writing_fail(w);
    if (c.size != node->from->size || c.hash[0] != node->from->hash[0] ||
        c.hash[1] != node->from->hash[1])
        return lc_error_set(w->err, "cannot use '%s': content of '%s' is damaged; record again",
                            node->image->file, item->path);
    set_stored(item->node, &c);
    return 0;
}

static int write_bytes_of(struct lc_writing *w, const struct lc_item *item)
{
    struct lc_stored c;

    if (lc_store_bytes(&w->store, item->node->bytes, item->node->stat.size, &c) < 0)
        return lc_writing_fail(w);
    set_stored(item->node, &c);
    return 0;
}

static int write_content(struct lc_writing *w, const struct lc_item *item)
{
    switch (item->node->source) {
    case LC_SOURCE_FILE:
        return write_file(w, item);
    case LC_SOURCE_BYTES:
        return write_bytes_of(w, item);
    case LC_SOURCE_IMAGE:
        return write_from_image(w, item);
    case LC_SOURCE_NONE:
        item->node->stat.data = LC_NO_CONTENT;
        return 0;
    }
    return 0;
}

/* Is it the stored inode that had this key before it was read? Its name may have become that of
 * another file since. */
static bool is_home_of(const struct lc_tree_entry *home, const char *key)
{
    char now[LC_TREE_ENTRY_KEY];

    if (!home || !home->kind)
        return false;
    lc_tree_entry_key(home, now);
    return strcmp(now, key) == 0;
}

/* Hard links: the file is read under the first name whose content is wanted; names that come later
 * share that inode and its stat, and so do those before it in the index. */
int lc_writing_store(struct lc_writing *w, const struct lc_item *item)
{
    char key[LC_TREE_ENTRY_KEY];

    if (item->node->kind != LC_KIND_FILE)
        return 0;
    w->did->files++;
    if (item->node->stat.nlink < 2 || (item->node->flags & LC_ENTRY_MADE))
        return write_content(w, item);
    lc_tree_entry_key(item->node, key);
    void **home = lc_map_at(&w->inode_home, key);
    if (!home)
        return lc_error_errno(w->err, "cannot write '%s'", w->how->file);
    if (is_home_of(*home, key)) {
        item->node->stat = ((struct lc_tree_entry *)*home)->stat;
        return 0;
    }
    if (item->node->source != LC_SOURCE_NONE)
        *home = item->node;
    return write_content(w, item);
}
