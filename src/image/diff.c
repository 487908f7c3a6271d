/* SPDX-License-Identifier: MIT */
/* diff.c - what differs between two images */
#include "image/diff.h"

#include <string.h>
#include <sys/stat.h>

static bool has_same_stat(const struct lc_inode *a, const struct lc_inode *b)
{
    return a->ino == b->ino && a->size == b->size && a->mode == b->mode && a->uid == b->uid &&
           a->gid == b->gid && a->nlink == b->nlink && a->mtime == b->mtime &&
           a->mtime_ns == b->mtime_ns && a->ctime == b->ctime && a->ctime_ns == b->ctime_ns;
}

static bool has_same_content(const struct lc_inode *a, const struct lc_inode *b)
{
    bool in_a = a->data != LC_NO_CONTENT, in_b = b->data != LC_NO_CONTENT;

    if (in_a != in_b || a->size != b->size)
        return false;
    return !in_a || (a->hash[0] == b->hash[0] && a->hash[1] == b->hash[1]);
}

static bool has_same_listing(const struct lc_look *a, const struct lc_inode *x,
                             const struct lc_look *b, const struct lc_inode *y)
{
    uint32_t n, m;
    const struct lc_dirent *d = lc_look_dirents(a, x, &n), *e = lc_look_dirents(b, y, &m);

    if (x->flags != y->flags || n != m)
        return false;
    /* Compared in order of name: the order of readdir does not count. */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t p = a->order[x->data + i], q = b->order[y->data + i];
        if (strcmp(lc_look_name(a, d[p].name), lc_look_name(b, e[q].name)) != 0)
            return false;
    }
    return true;
}

static const char *entry_difference(const struct lc_look *a, uint32_t i, const struct lc_look *b,
                                    uint32_t k)
{
    const struct lc_inode *x = lc_look_inode(a, i), *y = lc_look_inode(b, k);

    if (a->entry[i].kind != b->entry[k].kind)
        return "kind";
    switch (a->entry[i].kind) {
    case LC_KIND_ABSENT:
        return a->entry[i].inode == b->entry[k].inode ? NULL : "errno";
    case LC_KIND_SYMLINK:
        if (strcmp(lc_look_name(a, (uint32_t)x->data), lc_look_name(b, (uint32_t)y->data)) != 0)
            return "target";
        break;
    case LC_KIND_DIRECTORY:
        if (!has_same_listing(a, x, b, y))
            return "listing";
        break;
    default:
        if (!has_same_content(x, y))
            return "content";
    }
    return has_same_stat(x, y) ? NULL : "stat";
}

size_t lc_image_diff(const struct lc_image *a, const struct lc_image *b,
                     void (*tell)(void *arg, char sign, const char *path, const char *what),
                     void *arg)
{
    size_t found = 0;

    for (uint32_t i = 0; i < a->look.entries; i++) {
        const struct lc_entry *e = &a->look.entry[i];
        const char *path = lc_look_name(&a->look, e->path), *what = NULL;
        uint32_t k = lc_look_find(&b->look, path, e->path_len);
        if (k != LC_NONE && !(what = entry_difference(&a->look, i, &b->look, k)))
            continue;
        found++;
        tell(arg, k == LC_NONE ? '-' : '~', path, what);
    }
    for (uint32_t i = 0; i < b->look.entries; i++) {
        const struct lc_entry *e = &b->look.entry[i];
        const char *path = lc_look_name(&b->look, e->path);
        if (lc_look_find(&a->look, path, e->path_len) == LC_NONE) {
            found++;
            tell(arg, '+', path, NULL);
        }
    }
    return found;
}
