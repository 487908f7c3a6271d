/* SPDX-License-Identifier: MIT */
/* verify.c - the complete check of an index: a reader can follow every offset of an index that
 * passed.
 *
 * Reads nothing but the given bytes and allocates nothing; the fuzz target calls it. */
#include "image/image.h"

#include <string.h>
#include <sys/stat.h>

#include "image/bindings.h"
#include "image/hash.h"

static int verify_checksums(const struct lc_look *look, struct lc_error *err)
{
    for (uint32_t i = 0; i < look->root->count; i++) {
        const struct lc_section *s = &look->root->section[i];
        if (s->type == LC_SECTION_CONTENT || s->type >= LC_SECTION_KNOWN)
            continue;
        for (uint32_t k = 0; k < i; k++)
            if (look->root->section[k].type == s->type)
                return lc_error_set(err, "damaged: section type %u is there twice", s->type);
        if (s->checksum != lc_hash(look->base + s->offset, s->length))
            return lc_error_set(err, "damaged: checksum of section type %u is wrong", s->type);
    }
    return 0;
}

/* Is there a string of exactly 'len' bytes, with its NUL, inside the names? */
static bool is_string(const struct lc_look *look, uint64_t offset, uint64_t len)
{
    return offset < look->names_len && len < look->names_len - offset &&
           look->names[offset + len] == '\0' && !memchr(look->names + offset, '\0', len);
}

static bool is_clean_path(const char *path, size_t len)
{
    if (len == 0 || path[0] != '/' || len >= LC_PATH_MAX)
        return false;
    if (len == 1)
        return true;
    for (const char *p = path; *p;) {
        size_t n = strcspn(++p, "/");
        if (n == 0 || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
            return false;
        p += n;
    }
    return true;
}

static bool has_mode_of_kind(uint32_t mode, uint8_t kind)
{
    return kind == LC_KIND_FILE ? S_ISREG(mode)
                                : (kind == LC_KIND_DIRECTORY ? S_ISDIR(mode) : S_ISLNK(mode));
}

/* Staging writes below the parent, so the parent must be a directory and not a link that leads out
 * of the tree. Below an absent path only absent entries and files made by us are allowed. */
static bool has_good_parent(const struct lc_look *look, uint32_t i)
{
    const struct lc_entry *e = &look->entry[i];
    const char *path = look->names + e->path;

    if (e->path_len == 1)
        return e->parent == LC_NONE && e->kind == LC_KIND_DIRECTORY;
    size_t dir = (size_t)(strrchr(path, '/') - path);
    uint32_t parent = lc_look_find(look, path, dir ? dir : 1);
    if (parent == LC_NONE || parent != e->parent)
        return false;
    uint8_t kind = look->entry[parent].kind;
    return kind == LC_KIND_DIRECTORY ||
           (kind == LC_KIND_ABSENT && (e->kind == LC_KIND_ABSENT || (e->flags & LC_ENTRY_MADE)));
}

static int verify_entry(const struct lc_look *look, uint32_t i, struct lc_error *err)
{
    const struct lc_entry *e = &look->entry[i];

    if (!is_string(look, e->path, e->path_len) ||
        !is_clean_path(look->names + e->path, e->path_len))
        return lc_error_set(err, "damaged: entry %u has no clean path", i);
    if (lc_look_find(look, look->names + e->path, e->path_len) != i)
        return lc_error_set(err, "damaged: entry %u is not where its hash says", i);
    if (e->kind < LC_KIND_FILE || e->kind > LC_KIND_ABSENT || (e->flags & ~LC_ENTRY_FLAGS))
        return lc_error_set(err, "damaged: entry %u is of no known kind", i);
    if (!has_good_parent(look, i))
        return lc_error_set(err, "damaged: entry %u is not in a directory", i);
    if (e->kind == LC_KIND_ABSENT)
        return e->inode > 0 && e->inode < 4096
                   ? 0
                   : lc_error_set(err, "damaged: entry %u has no errno", i);
    if (e->inode >= look->inodes || !has_mode_of_kind(look->inode[e->inode].mode, e->kind))
        return lc_error_set(err, "damaged: entry %u and its inode do not agree", i);
    return 0;
}

/* A free slot is all zero; a used slot repeats the fields of its entry. */
static bool is_good_slot(const struct lc_look *look, const struct lc_slot *s)
{
    static const struct lc_entry none;

    if (s->entry > look->entries || (s->entry == 0 && s->tag != 0))
        return false;
    const struct lc_entry *e = s->entry ? &look->entry[s->entry - 1] : &none;
    return s->path == e->path && s->path_len == e->path_len && s->kind == e->kind &&
           s->flags == e->flags;
}

static int verify_slots(const struct lc_look *look, struct lc_error *err)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < look->slots; i++) {
        if (!is_good_slot(look, &look->slot[i]))
            return lc_error_set(err, "damaged: slot %u points nowhere", i);
        used += look->slot[i].entry != 0;
    }
    if (used != look->entries)
        return lc_error_set(err, "damaged: %u slots for %u entries", used, look->entries);
    return 0;
}

static int verify_listing(const struct lc_look *look, uint32_t i, struct lc_error *err)
{
    const struct lc_inode *dir = &look->inode[i];
    const char *before = NULL;

    if (!(dir->flags & LC_INODE_LISTED))
        return dir->count == 0 && !(dir->flags & LC_INODE_COMPLETE)
                   ? 0
                   : lc_error_set(err, "damaged: directory %u has no listing", i);
    if (dir->count > look->dirents || dir->data > look->dirents - dir->count)
        return lc_error_set(err, "damaged: the listing of directory %u lies outside", i);
    for (uint32_t k = 0; k < dir->count; k++) {
        uint32_t at = look->order[dir->data + k];
        const char *name =
            at < dir->count ? look->names + look->dirent[dir->data + at].name : before;
        if (at >= dir->count || (before && strcmp(before, name) >= 0))
            return lc_error_set(err, "damaged: the listing of directory %u is not in order", i);
        before = name;
    }
    return 0;
}

static bool has_good_content(const struct lc_look *look, const struct lc_inode *inode)
{
    if (inode->data == LC_NO_CONTENT)
        return true;
    if (inode->data % LC_IMAGE_PAGE)
        return false;
    if (inode->flags & LC_INODE_IN_BASE) /* the base's length is checked when its content is read */
        return look->overlay_base && inode->data < LC_NO_CONTENT / 2 &&
               inode->size < LC_NO_CONTENT / 2;
    return inode->data <= look->content_len && inode->size <= look->content_len - inode->data;
}

static int verify_inode(const struct lc_look *look, uint32_t i, struct lc_error *err)
{
    const struct lc_inode *inode = &look->inode[i];
    uint32_t second = 1000000000;

    if (inode->mtime_ns >= second || inode->ctime_ns >= second || inode->atime_ns >= second ||
        inode->btime_ns >= second)
        return lc_error_set(err, "damaged: inode %u has no sensible time", i);
    if (inode->flags & ~(uint32_t)LC_INODE_FLAGS)
        return lc_error_set(err, "damaged: inode %u has unknown flags", i);
    if (inode->mount != LC_NONE && inode->mount >= look->mounts)
        return lc_error_set(err, "damaged: inode %u is on no known mount", i);
    if (S_ISDIR(inode->mode))
        return verify_listing(look, i, err);
    if (S_ISLNK(inode->mode))
        return inode->size > 0 && inode->size < LC_PATH_MAX &&
                       is_string(look, inode->data, inode->size)
                   ? 0
                   : lc_error_set(err, "damaged: link %u has no target", i);
    if (!S_ISREG(inode->mode) || !has_good_content(look, inode))
        return lc_error_set(err, "damaged: the content of inode %u lies outside", i);
    return 0;
}

static int verify_dirents(const struct lc_look *look, struct lc_error *err)
{
    for (uint32_t i = 0; i < look->dirents; i++) {
        const struct lc_dirent *d = &look->dirent[i];
        const char *name = look->names + d->name;
        if (!is_string(look, d->name, d->name_len) || d->name_len == 0 || strchr(name, '/') ||
            strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            return lc_error_set(err, "damaged: directory entry %u has no sensible name", i);
    }
    return 0;
}

static int verify_searches(const struct lc_look *look, struct lc_error *err)
{
    uint32_t limit = look->names_len, used = 0;

    for (uint32_t i = 0; i < look->search_slots; i++) {
        if (look->search_slot[i] > look->searches)
            return lc_error_set(err, "damaged: search slot %u points nowhere", i);
        used += look->search_slot[i] != 0;
    }
    if (used != look->searches)
        return lc_error_set(err, "damaged: %u search slots for %u results", used, look->searches);
    for (uint32_t i = 0; i < look->searches; i++) {
        const struct lc_search *s = &look->search[i];
        if (s->loader >= limit || s->name >= limit || s->result >= limit ||
            s->key >= look->search_keys)
            return lc_error_set(err, "damaged: search result %u points nowhere", i);
        if (lc_look_search(look, s->key, s->chain, look->names + s->loader,
                           look->names + s->name) != i)
            return lc_error_set(err, "damaged: search result %u is not where its hash says", i);
    }
    return 0;
}

static int verify_small_tables(const struct lc_look *look, struct lc_error *err)
{
    uint32_t limit = look->names_len;

    for (uint32_t i = 0; i < look->mounts; i++)
        if (look->mount[i].point >= limit || look->mount[i].type >= limit ||
            look->mount[i].source >= limit)
            return lc_error_set(err, "damaged: mount %u has no name", i);
    for (uint32_t i = 0; i < look->search_keys; i++)
        if (look->search_key[i].executable >= limit || look->search_key[i].library_path >= limit ||
            look->search_key[i].tunables >= limit || look->search_key[i].platform >= limit ||
            look->search_key[i].reserved)
            return lc_error_set(err, "damaged: search key %u has no name", i);
    if (look->overlay_base &&
        (look->overlay_base->path >= limit || look->names[look->overlay_base->path] != '/'))
        return lc_error_set(err, "damaged: the base has no path");
    return 0;
}

static int verify_bindings(const struct lc_look *look, struct lc_error *err)
{
    const struct lc_section *s = lc_look_section(look, LC_SECTION_BINDINGS);
    struct lc_bindings b;

    if (!s || !lc_bindings_is_known(look->base + s->offset, s->length))
        return 0;
    if (!lc_bindings_open(&b, look->base + s->offset, s->length))
        return lc_error_set(err, "damaged: the bindings' tables make no sense");
    const char *bad = lc_bindings_verify(&b);
    return bad ? lc_error_set(err, "%s", bad) : 0;
}

int lc_image_verify(const struct lc_look *look, struct lc_error *err)
{
    const struct lc_section *learnt = lc_look_section(look, LC_SECTION_LEARNT);
    const struct lc_section *order = lc_look_section(look, LC_SECTION_ORDER);
    const struct lc_section *dirents = lc_look_section(look, LC_SECTION_DIRENTS);

    if (verify_checksums(look, err) < 0 || verify_slots(look, err) < 0 ||
        verify_dirents(look, err) < 0)
        return -1;
    if ((order ? order->count : 0) != (dirents ? dirents->count : 0))
        return lc_error_set(err, "damaged: listings and their order do not agree");
    if (learnt && learnt->count != look->entries)
        return lc_error_set(err, "damaged: what was learnt is not of these entries");
    for (uint32_t i = 0; i < look->inodes; i++)
        if (verify_inode(look, i, err) < 0)
            return -1;
    for (uint32_t i = 0; i < look->entries; i++)
        if (verify_entry(look, i, err) < 0)
            return -1;
    return verify_small_tables(look, err) < 0 || verify_searches(look, err) < 0 ||
                   verify_bindings(look, err) < 0
               ? -1
               : 0;
}
