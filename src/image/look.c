/* SPDX-License-Identifier: MIT */
/* look.c - look up paths in a mapped image. Freestanding; see look.h */
#include "image/look.h"

#include "image/bytes.h"
#include "image/hash.h"

enum { NO_ENTRY = 2 /* ENOENT */, NOT_A_DIRECTORY = 20 /* ENOTDIR */ };

const char *lc_look_name(const struct lc_look *look, uint32_t offset)
{
    return offset < look->names_len ? look->names + offset : "";
}

const struct lc_slot *lc_look_slot(const struct lc_look *look, const char *path, size_t len)
{
    uint64_t hash = lc_hash_path(path, len);
    uint32_t tag = (uint32_t)(hash >> 32), mask = look->slots - 1;

    for (uint32_t i = (uint32_t)hash & mask, n = 0; n < look->slots; i = (i + 1) & mask, n++) {
        const struct lc_slot *slot = &look->slot[i];
        if (slot->entry == 0 || slot->entry > look->entries)
            return NULL;
        if (slot->tag != tag || slot->path_len != len || slot->path >= look->names_len ||
            len >= look->names_len - slot->path)
            continue;
        if (lc_bytes_equal_path(look->names + slot->path, path, len))
            return slot;
    }
    return NULL;
}

uint32_t lc_look_find(const struct lc_look *look, const char *path, size_t len)
{
    const struct lc_slot *slot = lc_look_slot(look, path, len);

    return slot ? slot->entry - 1 : LC_NONE;
}

const struct lc_inode *lc_look_inode(const struct lc_look *look, uint32_t entry)
{
    if (entry >= look->entries || look->entry[entry].kind == LC_KIND_ABSENT ||
        look->entry[entry].inode >= look->inodes)
        return NULL;
    return &look->inode[look->entry[entry].inode];
}

/* Index of a directory's first dirent; LC_NONE if its dirents do not lie inside the section. */
static uint32_t first_dirent(const struct lc_look *look, const struct lc_inode *dir)
{
    bool ok = (dir->flags & LC_INODE_LISTED) && look->dirent && look->order &&
              dir->count <= look->dirents && dir->data <= look->dirents - dir->count;
    return ok ? (uint32_t)dir->data : LC_NONE;
}

const struct lc_dirent *lc_look_dirents(const struct lc_look *look, const struct lc_inode *dir,
                                        uint32_t *count)
{
    uint32_t first = first_dirent(look, dir);

    *count = first == LC_NONE ? 0 : dir->count;
    return first == LC_NONE ? NULL : look->dirent + first;
}

bool lc_look_is_listed(const struct lc_look *look, const struct lc_inode *dir, const char *name,
                       size_t len)
{
    uint32_t first = first_dirent(look, dir);
    uint32_t low = 0, high = first == LC_NONE ? 0 : dir->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t at = look->order[first + middle];
        if (at >= dir->count)
            return true; /* damaged: claim nothing about absence */
        int c = lc_bytes_compare(lc_look_name(look, look->dirent[first + at].name), name, len);
        if (c == 0)
            return true;
        if (c < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static struct lc_found answer_unknown(void)
{
    return (struct lc_found){LC_ANSWER_UNKNOWN, LC_NONE, 0};
}

static struct lc_found answer_absent(int error)
{
    return (struct lc_found){LC_ANSWER_ABSENT, LC_NONE, error};
}

/* The answer for a path without an entry, given an ancestor that has one. 'name' is the component
 * directly below the ancestor. */
static struct lc_found ask_ancestor(const struct lc_look *look, uint32_t entry, const char *name,
                                    size_t len)
{
    const struct lc_entry *e = &look->entry[entry];
    const struct lc_inode *inode = lc_look_inode(look, entry);

    if (e->kind == LC_KIND_ABSENT)
        return answer_absent((int)e->inode);
    if (e->kind == LC_KIND_FILE)
        return answer_absent(NOT_A_DIRECTORY);
    if (e->kind != LC_KIND_DIRECTORY || !inode || !(inode->flags & LC_INODE_COMPLETE) ||
        first_dirent(look, inode) == LC_NONE)
        return answer_unknown();
    return lc_look_is_listed(look, inode, name, len) ? answer_unknown() : answer_absent(NO_ENTRY);
}

struct lc_found lc_look_missing(const struct lc_look *look, const char *path, size_t len,
                                bool *is_final)
{
    *is_final = true;
    for (size_t end = len; end > 1;) {
        size_t slash = end - 1;
        while (slash > 0 && path[slash] != '/')
            slash--;
        uint32_t entry = lc_look_find(look, path, slash ? slash : 1);
        if (entry != LC_NONE) {
            *is_final = look->entry[entry].kind != LC_KIND_SYMLINK;
            return ask_ancestor(look, entry, path + slash + 1, end - slash - 1);
        }
        end = slash;
    }
    return answer_unknown();
}

struct lc_found lc_look_clean(const struct lc_look *look, const char *path, size_t len)
{
    uint32_t entry = lc_look_find(look, path, len);
    bool is_final;

    if (entry != LC_NONE && look->entry[entry].kind == LC_KIND_ABSENT)
        return answer_absent((int)look->entry[entry].inode);
    if (entry != LC_NONE)
        return (struct lc_found){LC_ANSWER_FOUND, entry, 0};
    return lc_look_missing(look, path, len, &is_final);
}

uint64_t lc_look_search_hash(const char *loader, size_t loader_len, const char *name, size_t len)
{
    return lc_hash_rotate(lc_hash(loader, loader_len), 1) ^ lc_hash(name, len);
}

uint32_t lc_look_search(const struct lc_look *look, uint32_t key, uint64_t chain,
                        const char *loader, const char *name)
{
    uint64_t hash =
        lc_look_search_hash(loader, lc_bytes_length(loader), name, lc_bytes_length(name));
    uint32_t mask = look->search_slots - 1;

    for (uint32_t i = (uint32_t)hash & mask, n = 0; n < look->search_slots;
         i = (i + 1) & mask, n++) {
        uint32_t at = look->search_slot[i];
        if (at == 0 || at > look->searches)
            return LC_NONE;
        const struct lc_search *s = &look->search[at - 1];
        if (s->hash == hash && s->key == key && s->chain == chain &&
            lc_bytes_same(lc_look_name(look, s->loader), loader) &&
            lc_bytes_same(lc_look_name(look, s->name), name))
            return at - 1;
    }
    return LC_NONE;
}
