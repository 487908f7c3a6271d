/* SPDX-License-Identifier: MIT */
/* write.c - write a tree to an image file, completely or not at all */
#include "image/write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "image/write_private.h"
#include "util/human.h"
#include "util/path.h"

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const struct lc_item *)a)->path, ((const struct lc_item *)b)->path);
}

static const struct lc_tree_entry *parent_node(const struct lc_writing *w, const char *path)
{
    char dir[LC_PATH_MAX];
    size_t len = lc_path_dir_len(path);

    if (len == 0 || len >= sizeof(dir))
        return NULL;
    memcpy(dir, path, len);
    dir[len] = '\0';
    return lc_tree_find(w->tree, dir);
}

/* Is the item's parent a directory in the image? Readers refuse an image in which it is not (see
 * verify.c). */
static bool has_good_parent(const struct lc_writing *w, const struct lc_item *item)
{
    if (strcmp(item->path, "/") == 0)
        return item->node->kind == LC_KIND_DIRECTORY;
    const struct lc_tree_entry *parent = parent_node(w, item->path);
    if (!parent || !parent->kind)
        return false;
    return parent->kind == LC_KIND_DIRECTORY ||
           (parent->kind == LC_KIND_ABSENT &&
            (item->node->kind == LC_KIND_ABSENT || (item->node->flags & LC_ENTRY_MADE)));
}

void lc_writing_skip(struct lc_writing *w, const char *path, const char *why)
{
    w->did->skipped++;
    if (w->how->skipped)
        w->how->skipped(w->how->arg, path, why);
}

/* Collect the items sorted by path, so that parents come first: an item without a parent is dropped
 * with everything below it. */
static int collect_items(struct lc_writing *w)
{
    w->item = calloc(w->tree->entries.count + 1, sizeof(*w->item));
    if (!w->item)
        return lc_error_errno(w->err, "cannot write '%s'", w->how->file);
    for (size_t i = 0; i < w->tree->entries.count; i++) {
        struct lc_tree_entry *node = w->tree->entries.entry[i].value;
        if (node && node->kind)
            w->item[w->items++] = (struct lc_item){w->tree->entries.entry[i].key, node};
    }
    qsort(w->item, w->items, sizeof(*w->item), compare_paths);
    size_t kept = 0;
    for (size_t i = 0; i < w->items; i++) {
        if (strlen(w->item[i].path) < LC_PATH_MAX && has_good_parent(w, &w->item[i])) {
            w->item[kept++] = w->item[i];
        } else {
            w->item[i].node->kind = 0;
            lc_writing_skip(w, w->item[i].path, "its directory is not in the image");
        }
    }
    w->items = kept;
    return 0;
}

static int open_temporary(struct lc_writing *w)
{
    char prefix[LC_PATH_MAX];
    int n = snprintf(prefix, sizeof(prefix), "%s.tmp", w->how->file);

    if (n < 0 || (size_t)n >= sizeof(prefix))
        errno = ENAMETOOLONG;
    else if (lc_temporary_open(&w->temporary, prefix) == 0)
        return 0;
    return lc_error_errno(w->err, "cannot write '%s'", w->how->file);
}

/* An upper bound: equal contents are stored only once. */
static uint64_t bytes_needed(const struct lc_writing *w)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < w->items; i++)
        if (w->item[i].node->kind == LC_KIND_FILE && w->item[i].node->source != LC_SOURCE_NONE)
            bytes += w->item[i].node->stat.size;
    return bytes;
}

/* Without space, the message has the free bytes of the file system; over a quota it does not,
 * because the quota may leave less. */
int lc_writing_fail(struct lc_writing *w)
{
    int why = errno;
    char room[64] = "";
    struct statvfs fs;

    if (why != ENOSPC && why != EDQUOT)
        return lc_error_errno(w->err, "cannot write '%s'", w->how->file);
    if (why == ENOSPC && fstatvfs(w->temporary.fd, &fs) == 0)
        snprintf(
            room, sizeof(room), ", %s free",
            lc_human_bytes(w->store.len + LC_IMAGE_PAGE + (uint64_t)fs.f_bavail * fs.f_frsize).s);
    errno = why;
    return lc_error_errno(w->err, "cannot write '%s': needs %s%s; name another place by -o",
                          w->how->file, lc_human_bytes(bytes_needed(w)).s, room);
}

static int write_contents(struct lc_writing *w)
{
    if (lc_store_begin(&w->store, w->temporary.fd, LC_IMAGE_PAGE) < 0)
        return lc_error_errno(w->err, "cannot write '%s'", w->how->file);
    w->ahead = lc_read_ahead_begin(w->item, w->items);
    for (size_t i = 0; i < w->items; i++) {
        if (lc_writing_store(w, &w->item[i]) < 0)
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

static int write_index(struct lc_writing *w)
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
        rc = lc_index_write(&index, w->temporary.fd, w->store.len, 0, w->how->provenance,
                            &w->did->file_bytes, &w->did->id);
    if (rc < 0)
        lc_writing_fail(w);
    lc_index_free(&index);
    return rc;
}

/* An image holds copies. A user who could not read every file, or not list every directory whose
 * names are in it, must not be able to read the image either. */
static mode_t image_mode(const struct lc_writing *w)
{
    for (size_t i = 0; i < w->items; i++) {
        const struct lc_tree_entry *node = w->item[i].node;
        if (node->kind == LC_KIND_FILE && node->stat.data != LC_NO_CONTENT &&
            !(node->stat.mode & S_IROTH))
            return 0600;
        if (node->kind == LC_KIND_DIRECTORY &&
            (node->stat.mode & (S_IROTH | S_IXOTH)) != (S_IROTH | S_IXOTH))
            return 0600;
    }
    return 0666;
}

/* Verify the new file before it replaces an existing image. */
static int verify_written(struct lc_writing *w)
{
    struct lc_private_pages memory;
    struct lc_look look;
    struct lc_error why;
    int rc = lc_index_read(&memory, w->temporary.fd, w->how->file, LC_INDEX_ALL, &look, &why);

    if (rc == 0)
        rc = lc_image_verify(&look, &why);
    lc_private_pages_free(&memory);
    return rc < 0 ? lc_error_set(w->err, "cannot write '%s': the result would be refused: %s",
                                 w->how->file, why.text)
                  : 0;
}

static int image_publish(struct lc_writing *w)
{
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT},
                                     w->how->mtime ? *w->how->mtime : (struct timespec){0}};

    if (verify_written(w) < 0)
        return -1;
    if (w->how->mtime && futimens(w->temporary.fd, times) < 0)
        return lc_writing_fail(w);
    return lc_temporary_publish(&w->temporary, w->how->file, image_mode(w)) < 0 ? lc_writing_fail(w)
                                                                                : 0;
}

int lc_image_write(struct lc_tree *tree, const struct lc_write *how, struct lc_written *did,
                   struct lc_error *err)
{
    struct lc_writing w = {
        .how = how, .did = did, .err = err, .tree = tree, .temporary = LC_TEMPORARY_NONE};

    *did = (struct lc_written){0};
    w.store.fd = -1;
    int rc = collect_items(&w) < 0 || open_temporary(&w) < 0 || write_contents(&w) < 0 ||
                     write_index(&w) < 0 || image_publish(&w) < 0
                 ? -1
                 : 0;
    did->shared_bytes = w.store.shared_bytes;
    lc_read_ahead_end(w.ahead);
    lc_temporary_discard(&w.temporary);
    lc_store_end(&w.store);
    lc_map_free(&w.inode_home, NULL);
    free(w.item);
    return rc;
}
