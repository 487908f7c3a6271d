/* SPDX-License-Identifier: MIT */
/* index.c - build the index sections from sorted paths and their nodes */
#include "image/index.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/hash.h"
#include "image/look.h"
#include "util/path.h"

void lc_index_free(struct lc_index *index)
{
    struct lc_buf *all[] = {&index->entries, &index->slots,       &index->inodes,
                            &index->dirents, &index->order,       &index->names,
                            &index->mounts,  &index->search,      &index->search_slots,
                            &index->base,    &index->search_keys, &index->learnt};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        lc_buf_free(all[i]);
    lc_map_free(&index->path_at, NULL);
    lc_map_free(&index->name_at, NULL);
    lc_map_free(&index->inode_at, NULL);
}

/* Append a string with its NUL; its offset, or LC_NONE. */
static uint32_t name_append(struct lc_index *index, const char *name)
{
    size_t at = index->names.len;

    if (at + strlen(name) + 1 >= LC_NONE)
        return errno = EFBIG, LC_NONE;
    return lc_buf_add(&index->names, name, strlen(name) + 1) < 0 ? LC_NONE : (uint32_t)at;
}

/* As name_append, but each string is stored once. */
static uint32_t name_intern(struct lc_index *index, const char *name)
{
    void **at = lc_map_at(&index->name_at, name);

    if (!at)
        return LC_NONE;
    if (!*at) {
        uint32_t offset = name_append(index, name);
        if (offset == LC_NONE)
            return LC_NONE;
        *at = (void *)(uintptr_t)(offset + 1ull);
    }
    return (uint32_t)((uintptr_t)*at - 1);
}

/* The inode has a further name, maybe the first one whose content was stored. */
static void inode_complete(struct lc_inode *inode, const struct lc_tree_entry *node)
{
    if (node->kind == LC_KIND_FILE && inode->data == LC_NO_CONTENT)
        *inode = node->stat;
}

/* Entries with equal keys share one inode. */
static int add_inode(struct lc_index *index, const struct lc_tree_entry *node, uint32_t *out)
{
    char key[LC_TREE_ENTRY_KEY];
    size_t next = index->inodes.len / sizeof(struct lc_inode);

    *out = (uint32_t)next;
    if (!(node->flags & LC_ENTRY_MADE)) {
        lc_tree_entry_key(node, key);
        void **at = lc_map_at(&index->inode_at, key);
        if (!at)
            return -1;
        if (*at) {
            *out = (uint32_t)((uintptr_t)*at - 1);
            inode_complete((struct lc_inode *)index->inodes.data + *out, node);
            return 0;
        }
        *at = (void *)(uintptr_t)(next + 1);
    }
    return lc_buf_add(&index->inodes, &node->stat, sizeof(node->stat));
}

static uint32_t parent_of(const struct lc_index *index, const char *path)
{
    char dir[LC_PATH_MAX];
    size_t len = lc_path_dir_len(path);

    if (path[1] == '\0' || len == 0 || len >= sizeof(dir))
        return LC_NONE;
    memcpy(dir, path, len);
    dir[len] = '\0';
    return (uint32_t)((uintptr_t)lc_map_get(&index->path_at, dir) - 1);
}

static int add_entry(struct lc_index *index, const struct lc_item *item)
{
    struct lc_entry e = {
        .path = name_append(index, item->path),
        .path_len = (uint16_t)strlen(item->path),
        .kind = item->node->kind,
        .flags = item->node->flags,
        .parent = parent_of(index, item->path),
        .inode = (uint32_t)item->node->error,
    };

    if (e.path == LC_NONE ||
        (e.kind != LC_KIND_ABSENT && add_inode(index, item->node, &e.inode) < 0))
        return -1;
    void **at = lc_map_at(&index->path_at, item->path);
    if (!at)
        return -1;
    *at = (void *)(uintptr_t)(index->entries.len / sizeof(e) + 1);
    index->has_learnt |= item->node->learnt != 0;
    if (lc_buf_add(&index->learnt, &item->node->learnt, sizeof(item->node->learnt)) < 0)
        return -1;
    return lc_buf_add(&index->entries, &e, sizeof(e));
}

static struct lc_inode *inode_of(const struct lc_index *index, size_t entry)
{
    const struct lc_entry *e = (const struct lc_entry *)index->entries.data + entry;

    return (struct lc_inode *)index->inodes.data + e->inode;
}

/* Offset of a name in a directory listing. If the path is an entry, the name is the end of that
 * path's string; otherwise it is added as a string of its own. */
static uint32_t name_in_listing(struct lc_index *index, const char *dir, const char *name)
{
    char path[LC_PATH_MAX + 256];

    snprintf(path, sizeof(path), "%s/%s", dir[1] ? dir : "", name);
    uintptr_t at = (uintptr_t)lc_map_get(&index->path_at, path);
    if (!at)
        return name_intern(index, name);
    const struct lc_entry *e = (const struct lc_entry *)index->entries.data + (at - 1);
    return e->path + e->path_len - (uint32_t)strlen(name);
}

struct sort_name {
    const char *name;
    uint32_t at;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct sort_name *)a)->name, ((const struct sort_name *)b)->name);
}

static int add_order(struct lc_index *index, const struct lc_tree_entry *node)
{
    struct sort_name *sorted = calloc(node->list_count + 1, sizeof(*sorted));
    int rc = sorted ? 0 : -1;

    for (size_t i = 0; i < node->list_count && rc == 0; i++)
        sorted[i] = (struct sort_name){node->list[i].name, (uint32_t)i};
    if (rc == 0)
        qsort(sorted, node->list_count, sizeof(*sorted), compare_names);
    for (size_t i = 0; i < node->list_count && rc == 0; i++)
        rc = lc_buf_add(&index->order, &sorted[i].at, sizeof(sorted[i].at));
    free(sorted);
    return rc;
}

static int add_listing(struct lc_index *index, const struct lc_item *item, size_t entry)
{
    const struct lc_tree_entry *node = item->node;
    size_t first = index->dirents.len / sizeof(struct lc_dirent);

    if (node->kind != LC_KIND_DIRECTORY || !(node->stat.flags & LC_INODE_LISTED))
        return 0;
    for (size_t i = 0; i < node->list_count; i++) {
        const struct lc_listed_name *n = &node->list[i];
        struct lc_dirent d = {.ino = n->ino,
                              .name = name_in_listing(index, item->path, n->name),
                              .name_len = (uint16_t)strlen(n->name),
                              .type = n->type};
        if (d.name == LC_NONE || lc_buf_add(&index->dirents, &d, sizeof(d)) < 0)
            return -1;
    }
    struct lc_inode *inode = inode_of(index, entry);
    inode->data = first;
    inode->count = (uint32_t)node->list_count;
    return add_order(index, node);
}

static int add_link(struct lc_index *index, const struct lc_item *item, size_t entry)
{
    if (item->node->kind != LC_KIND_SYMLINK)
        return 0;
    uint32_t at = name_intern(index, item->node->target);
    if (at == LC_NONE)
        return -1;
    struct lc_inode *inode = inode_of(index, entry);
    inode->data = at;
    inode->size = strlen(item->node->target);
    return 0;
}

/* Number of slots of the hash table (open addressing): a power of two, so that a third to two
 * thirds are used. */
static size_t slots_for(size_t count)
{
    size_t slots = 2;

    while (slots < count + count / 2 + 1)
        slots *= 2;
    return slots;
}

static int build_slots(struct lc_index *index, size_t count)
{
    const struct lc_entry *e = (const struct lc_entry *)index->entries.data;
    size_t slots = slots_for(count);
    struct lc_slot *slot = calloc(slots, sizeof(*slot));

    if (!slot)
        return -1;
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = lc_hash_path(index->names.data + e[i].path, e[i].path_len);
        size_t at = hash & (slots - 1);
        while (slot[at].entry)
            at = (at + 1) & (slots - 1);
        slot[at] = (struct lc_slot){.entry = (uint32_t)i + 1,
                                    .tag = (uint32_t)(hash >> 32),
                                    .path = e[i].path,
                                    .path_len = e[i].path_len,
                                    .kind = e[i].kind,
                                    .flags = e[i].flags};
    }
    int rc = lc_buf_add(&index->slots, slot, slots * sizeof(*slot));
    free(slot);
    return rc;
}

static int build_search_slots(struct lc_index *index)
{
    const struct lc_search *s = (const struct lc_search *)index->search.data;
    size_t count = index->search.len / sizeof(*s), slots = slots_for(count);
    uint32_t *slot = calloc(slots, sizeof(*slot));

    if (!slot)
        return -1;
    for (size_t i = 0; i < count; i++) {
        size_t at = s[i].hash & (slots - 1);
        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = (uint32_t)i + 1;
    }
    int rc = lc_buf_add(&index->search_slots, slot, slots * sizeof(*slot));
    free(slot);
    return rc;
}

static int add_mounts(struct lc_index *index, const struct lc_tree *tree)
{
    for (size_t i = 0; i < tree->mounts; i++) {
        struct lc_mount m = {.point = name_intern(index, tree->mount[i].point),
                             .type = name_intern(index, tree->mount[i].type),
                             .source = name_intern(index, tree->mount[i].source)};
        if (m.point == LC_NONE || m.type == LC_NONE || m.source == LC_NONE ||
            lc_buf_add(&index->mounts, &m, sizeof(m)) < 0)
            return -1;
    }
    return 0;
}

static int add_search_keys(struct lc_index *index, const struct lc_tree *tree)
{
    for (size_t i = 0; i < tree->keys; i++) {
        const struct lc_tree_key *from = &tree->key[i];
        struct lc_search_key k = {.hwcap = from->hwcap,
                                  .hwcap2 = from->hwcap2,
                                  .cache = from->cache,
                                  .executable = name_intern(index, from->executable),
                                  .library_path = name_intern(index, from->library_path),
                                  .tunables = name_intern(index, from->tunables),
                                  .platform = name_intern(index, from->platform),
                                  .cpu_level = from->cpu_level};
        if (k.executable == LC_NONE || k.library_path == LC_NONE || k.tunables == LC_NONE ||
            k.platform == LC_NONE || lc_buf_add(&index->search_keys, &k, sizeof(k)) < 0)
            return -1;
    }
    return 0;
}

static int add_searches(struct lc_index *index, const struct lc_tree *tree)
{
    for (size_t i = 0; i < tree->searches; i++) {
        const struct lc_tree_search *from = &tree->search[i];
        if (!from->result)
            continue;
        struct lc_search s = {.hash = lc_look_search_hash(from->loader, strlen(from->loader),
                                                          from->name, strlen(from->name)),
                              .chain = from->chain,
                              .loader = name_intern(index, from->loader),
                              .name = name_intern(index, from->name),
                              .result = name_intern(index, from->result),
                              .key = from->key};
        if (s.loader == LC_NONE || s.name == LC_NONE || s.result == LC_NONE ||
            lc_buf_add(&index->search, &s, sizeof(s)) < 0)
            return -1;
    }
    return build_search_slots(index);
}

int lc_index_set_base(struct lc_index *index, uint64_t id, const char *path)
{
    struct lc_base base = {id, name_intern(index, path), 0};

    return base.path == LC_NONE ? -1 : lc_buf_add(&index->base, &base, sizeof(base));
}

int lc_index_build(struct lc_index *index, const struct lc_tree *tree, const struct lc_item *item,
                   size_t count)
{
    if (count >= LC_NONE / 4 || tree->bindings.len >= LC_NONE)
        return errno = EFBIG, -1;
    index->bindings = &tree->bindings;
    for (size_t i = 0; i < count; i++)
        if (add_entry(index, &item[i]) < 0)
            return -1;
    for (size_t i = 0; i < count; i++)
        if (add_listing(index, &item[i], i) < 0 || add_link(index, &item[i], i) < 0)
            return -1;
    if (add_mounts(index, tree) < 0 || add_search_keys(index, tree) < 0 ||
        add_searches(index, tree) < 0 || name_intern(index, "") == LC_NONE)
        return -1;
    return build_slots(index, count);
}
