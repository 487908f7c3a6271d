/* SPDX-License-Identifier: MIT */
/* write.c - a tree becomes an image file, whole or not at all */
#include "image/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "image/image.h"
#include "image/index.h"
#include "image/store.h"
#include "util/clock.h"
#include "util/human.h"
#include "util/path.h"

enum { ATTEMPTS = 5 /* at a file that changes while it is read */, NOT_TO_BE_COPIED = -3 };

/* Everything one writing needs. */
struct writing {
    const struct lc_write *how;
    struct lc_written *did;
    struct lc_error *err;
    struct lc_tree *tree;
    struct lc_item *item;
    size_t items;
    struct lc_store store;
    struct lc_map inode_home; /* "dev:ino" -> node whose content is stored */
    char temporary[LC_PATH_MAX + 64];
    int fd;
};

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct lc_item *)a)->path, ((const struct lc_item *)b)->path);
}

static const struct lc_node *parent_node(const struct writing *w, const char *path)
{
    char dir[LC_PATH_MAX];
    size_t len = lc_path_dir_len(path);

    if (len == 0 || len >= sizeof(dir))
        return NULL;
    memcpy(dir, path, len);
    dir[len] = '\0';
    return lc_tree_find(w->tree, dir);
}

/* The reader refuses what does not stand in a directory (see verify.c). */
static bool has_good_parent(const struct writing *w, const struct lc_item *item)
{
    if (strcmp(item->path, "/") == 0)
        return item->node->kind == LC_KIND_DIRECTORY;
    const struct lc_node *parent = parent_node(w, item->path);
    if (!parent || !parent->kind)
        return false;
    return parent->kind == LC_KIND_DIRECTORY ||
           (parent->kind == LC_KIND_ABSENT &&
            (item->node->kind == LC_KIND_ABSENT || (item->node->flags & LC_ENTRY_MADE)));
}

static void skip(struct writing *w, const char *path, const char *why)
{
    w->did->skipped++;
    if (w->how->skipped)
        w->how->skipped(w->how->arg, path, why);
}

/* Sorted, so that parents come first: what hangs on nothing is dropped with all below it. */
static int collect_items(struct writing *w)
{
    w->item = calloc(w->tree->nodes.count + 1, sizeof(*w->item));
    if (!w->item)
        return lc_error_errno(w->err, "cannot write '%s'", w->how->file);
    for (size_t i = 0; i < w->tree->nodes.count; i++) {
        struct lc_node *node = w->tree->nodes.entry[i].value;
        if (node && node->kind)
            w->item[w->items++] = (struct lc_item){w->tree->nodes.entry[i].key, node};
    }
    qsort(w->item, w->items, sizeof(*w->item), by_path);
    size_t kept = 0;
    for (size_t i = 0; i < w->items; i++) {
        if (strlen(w->item[i].path) < LC_PATH_MAX && has_good_parent(w, &w->item[i])) {
            w->item[kept++] = w->item[i];
        } else {
            w->item[i].node->kind = 0;
            skip(w, w->item[i].path, "its directory is not in the image");
        }
    }
    w->items = kept;
    return 0;
}

static int open_temporary(struct writing *w)
{
    /* Other hosts may write beside us under the same process number. */
    int n = snprintf(w->temporary, sizeof(w->temporary), "%s.tmp.%ld-%llx", w->how->file,
                     (long)getpid(), (unsigned long long)lc_clock_wall_ns());

    if (n < 0 || (size_t)n >= sizeof(w->temporary)) {
        w->temporary[0] = '\0';
        errno = ENAMETOOLONG;
        return lc_error_errno(w->err, "cannot write '%s'", w->how->file);
    }
    w->fd = open(w->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (w->fd < 0) {
        w->temporary[0] = '\0';
        return lc_error_errno(w->err, "cannot write '%s'", w->how->file);
    }
    return 0;
}

static int fail_writing(struct writing *w)
{
    if (errno != ENOSPC && errno != EDQUOT)
        return lc_error_errno(w->err, "cannot write '%s'", w->how->file);
    return lc_error_errno(w->err,
                          "cannot write '%s' (%s so far; it needs a file system with more room)",
                          w->how->file, lc_human_bytes(w->store.len + LC_IMAGE_PAGE).s);
}

static void set_stored(struct lc_node *node, const struct lc_stored *c)
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

/* A new stat for a node; mount, birth time and flags stay what they were. */
static void renew_stat(struct lc_node *node, const struct stat *st)
{
    uint32_t mount = node->stat.mount, btime_ns = node->stat.btime_ns;
    int64_t btime = node->stat.btime;

    lc_node_set_stat(node, st);
    node->stat.mount = mount;
    node->stat.btime = btime;
    node->stat.btime_ns = btime_ns;
}

/* The kernel gives them to the original alone. */
static bool has_capabilities(int fd, mode_t mode)
{
    return (mode & 0111) && fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

/* One attempt: 1 when the file changed meanwhile, LC_STORE_READ_FAILED, NOT_TO_BE_COPIED, -1 or 0.
 */
static int read_once(struct writing *w, const struct lc_item *item, struct lc_stored *c)
{
    struct stat before, after;
    int fd = open(item->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

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
        if (lc_node_is_fresh(item->node))
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

/* Known, but its content must be asked of the file system each time. */
static int keep_stat_only(struct writing *w, const struct lc_item *item, const char *why)
{
    item->node->source = LC_SOURCE_NONE;
    item->node->stat.data = LC_NO_CONTENT;
    skip(w, item->path, why);
    return 0;
}

static int write_file(struct writing *w, const struct lc_item *item)
{
    struct lc_stored c = {0};
    int rc = 1;

    for (int i = 0; i < ATTEMPTS && rc == 1; i++) {
        if (i > 0) {
            w->did->retries++;
            usleep(20000u << i);
        }
        rc = read_once(w, item, &c);
    }
    if (rc == -1)
        return fail_writing(w);
    if (rc == LC_STORE_READ_FAILED && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP ||
                                       errno == ENOTSUP || errno == ENXIO)) {
        item->node->kind = 0; /* gone since it was seen: nothing is known of it */
        skip(w, item->path, strerror(errno));
        return 0;
    }
    if (rc == LC_STORE_READ_FAILED)
        return keep_stat_only(w, item, strerror(errno));
    if (rc == NOT_TO_BE_COPIED)
        return keep_stat_only(w, item, "it has file capabilities, which a copy would not have");
    if (rc == 1) {
        item->node->kind = 0;
        skip(w, item->path, "it keeps changing while it is read");
        return 0;
    }
    set_stored(item->node, &c);
    w->did->content_bytes += c.size;
    return 0;
}

/* Content that an image holds already. */
static int write_from_image(struct writing *w, const struct lc_item *item)
{
    const struct lc_node *node = item->node;
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
        return fail_writing(w);
    if (c.size != node->from->size || c.hash[0] != node->from->hash[0] ||
        c.hash[1] != node->from->hash[1])
        return lc_error_set(w->err, "cannot use '%s': content of '%s' is damaged; record again",
                            node->image->file, item->path);
    set_stored(item->node, &c);
    return 0;
}

static int write_bytes_of(struct writing *w, const struct lc_item *item)
{
    struct lc_stored c;

    if (lc_store_bytes(&w->store, item->node->bytes, item->node->stat.size, &c) < 0)
        return fail_writing(w);
    set_stored(item->node, &c);
    return 0;
}

static int write_content(struct writing *w, const struct lc_item *item)
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

/* Hard links: the first name is read, the others share its inode, stat and all. */
static int write_item(struct writing *w, const struct lc_item *item)
{
    char key[64];

    if (item->node->kind != LC_KIND_FILE)
        return 0;
    w->did->files++;
    if (item->node->stat.nlink < 2 || (item->node->flags & LC_ENTRY_MADE))
        return write_content(w, item);
    snprintf(key, sizeof(key), "%llx:%llx", (unsigned long long)item->node->dev,
             (unsigned long long)item->node->stat.ino);
    void **home = lc_map_at(&w->inode_home, key);
    if (!home)
        return lc_error_errno(w->err, "cannot write '%s'", w->how->file);
    if (*home && ((struct lc_node *)*home)->kind) {
        item->node->stat = ((struct lc_node *)*home)->stat;
        return 0;
    }
    *home = item->node;
    return write_content(w, item);
}

static int write_contents(struct writing *w)
{
    if (lc_store_begin(&w->store, w->fd, LC_IMAGE_PAGE) < 0)
        return lc_error_errno(w->err, "cannot write '%s'", w->how->file);
    for (size_t i = 0; i < w->items; i++) {
        if (write_item(w, &w->item[i]) < 0)
            return -1;
        if (w->how->progress)
            w->how->progress(w->how->arg, w->did->content_bytes);
    }
    size_t kept = 0;
    for (size_t i = 0; i < w->items; i++)
        if (w->item[i].node->kind)
            w->item[kept++] = w->item[i];
    w->items = w->did->entries = kept;
    return 0;
}

static int write_index(struct writing *w)
{
    struct lc_index index = {0};
    const struct lc_image *base = w->how->base;
    char path[LC_PATH_MAX];
    int rc = 0;

    if (base)
        rc = realpath(base->file, path) ? lc_index_set_base(&index, lc_look_id(&base->look), path)
                                        : -1;
    if (rc == 0)
        rc = lc_index_build(&index, w->tree, w->item, w->items);
    if (rc == 0)
        rc = lc_index_write(&index, w->fd, w->store.len, 0, w->how->provenance, &w->did->file_bytes,
                            &w->did->id);
    if (rc < 0)
        fail_writing(w);
    lc_index_free(&index);
    return rc;
}

/* An image holds copies: who could not read every file must not read it either. One that is
 * replaced keeps its own restrictions. */
static int restrict_mode(struct writing *w)
{
    struct stat st, old;
    bool is_open = true;

    for (size_t i = 0; i < w->items && is_open; i++) {
        const struct lc_node *node = w->item[i].node;
        if (node->kind == LC_KIND_FILE && node->stat.data != LC_NO_CONTENT)
            is_open = node->stat.mode & S_IROTH;
        else if (node->kind == LC_KIND_DIRECTORY)
            is_open = node->stat.mode & S_IXOTH;
    }
    if (fstat(w->fd, &st) < 0)
        return -1;
    mode_t mode = st.st_mode & (is_open ? 0777 : 0700);
    if (stat(w->how->file, &old) == 0 && S_ISREG(old.st_mode))
        mode &= old.st_mode | 0600;
    return fchmod(w->fd, mode);
}

/* What a reader would refuse must not take the place of a good image. */
static int verify_written(struct writing *w)
{
    struct lc_look look;
    struct lc_error why;
    void *map = mmap(NULL, w->did->file_bytes, PROT_READ, MAP_SHARED, w->fd, 0);

    if (map == MAP_FAILED)
        return fail_writing(w);
    const char *bad = lc_look_open(&look, map, w->did->file_bytes);
    if (!bad && lc_image_verify(&look, &why) < 0)
        bad = why.text;
    int rc = bad ? lc_error_set(w->err, "cannot write '%s': the result would be refused: %s",
                                w->how->file, bad)
                 : 0;
    munmap(map, w->did->file_bytes);
    return rc;
}

static int publish(struct writing *w)
{
    int fd = w->fd;

    if (verify_written(w) < 0)
        return -1;
    if (restrict_mode(w) < 0)
        return fail_writing(w);
    w->fd = -1;
    if (close(fd) < 0)
        return fail_writing(w);
    if (rename(w->temporary, w->how->file) < 0)
        return lc_error_errno(w->err, "cannot write '%s'", w->how->file);
    w->temporary[0] = '\0';
    return 0;
}

int lc_image_write(struct lc_tree *tree, const struct lc_write *how, struct lc_written *did,
                   struct lc_error *err)
{
    struct writing w = {.how = how, .did = did, .err = err, .tree = tree, .fd = -1};

    *did = (struct lc_written){0};
    w.store.fd = -1;
    int rc = collect_items(&w) < 0 || open_temporary(&w) < 0 || write_contents(&w) < 0 ||
                     write_index(&w) < 0 || publish(&w) < 0
                 ? -1
                 : 0;
    did->shared_bytes = w.store.shared_bytes;
    if (w.fd >= 0)
        close(w.fd);
    if (w.temporary[0])
        unlink(w.temporary);
    lc_store_end(&w.store);
    lc_map_free(&w.inode_home, NULL);
    free(w.item);
    return rc;
}
