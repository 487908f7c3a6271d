/* SPDX-License-Identifier: MIT */
/* tree.c - the tree of paths to be written to an image, in memory */
#include "image/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/buf.h"

void lc_listed_names_free(struct lc_listed_name *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i].name);
    free(list);
}

void lc_tree_entry_clear(struct lc_tree_entry *node)
{
    free(node->target);
    free(node->bytes);
    lc_listed_names_free(node->list, node->list_count);
    *node = (struct lc_tree_entry){.learnt = node->learnt};
}

static void free_node(void *value)
{
    if (value)
        lc_tree_entry_clear(value);
    free(value);
}

void lc_tree_free(struct lc_tree *tree)
{
    lc_map_free(&tree->entries, free_node);
    lc_map_free(&tree->search_index, NULL);
    lc_buf_free(&tree->bindings);
    for (size_t i = 0; i < tree->mounts; i++) {
        free(tree->mount[i].point);
        free(tree->mount[i].type);
        free(tree->mount[i].source);
    }
    for (size_t i = 0; i < tree->keys; i++) {
        free(tree->key[i].executable);
        free(tree->key[i].library_path);
        free(tree->key[i].tunables);
        free(tree->key[i].platform);
    }
    for (size_t i = 0; i < tree->searches; i++) {
        free(tree->search[i].loader);
        free(tree->search[i].name);
        free(tree->search[i].result);
    }
    free(tree->mount);
    free(tree->key);
    free(tree->search);
    *tree = (struct lc_tree){0};
}

struct lc_tree_entry *lc_tree_entry_make(struct lc_tree *tree, const char *path)
{
    return lc_map_object(&tree->entries, path, sizeof(struct lc_tree_entry));
}

struct lc_tree_entry *lc_tree_find(const struct lc_tree *tree, const char *path)
{
    return lc_map_get(&tree->entries, path);
}

/* Some file systems return more than 999,999,999 nanoseconds, which readers of the image refuse. */
static uint32_t nanoseconds(struct timespec t)
{
    return (uint32_t)((unsigned long)t.tv_nsec % 1000000000u);
}

void lc_tree_entry_set_stat(struct lc_tree_entry *node, const struct stat *st)
{
    lc_tree_entry_clear(node);
    node->kind = S_ISREG(st->st_mode)   ? LC_KIND_FILE
                 : S_ISDIR(st->st_mode) ? LC_KIND_DIRECTORY
                 : S_ISLNK(st->st_mode) ? LC_KIND_SYMLINK
                                        : 0;
    node->source = node->kind == LC_KIND_FILE ? LC_SOURCE_FILE : LC_SOURCE_NONE;
    node->dev = st->st_dev;
    node->stat = (struct lc_inode){
        .ino = st->st_ino,
        .size = (uint64_t)st->st_size,
        .blocks = (uint64_t)st->st_blocks,
        .mtime = st->st_mtim.tv_sec,
        .ctime = st->st_ctim.tv_sec,
        .atime = st->st_atim.tv_sec,
        .mtime_ns = nanoseconds(st->st_mtim),
        .ctime_ns = nanoseconds(st->st_ctim),
        .atime_ns = nanoseconds(st->st_atim),
        .mode = st->st_mode,
        .nlink = (uint32_t)st->st_nlink,
        .uid = st->st_uid,
        .gid = st->st_gid,
        .blksize = (uint32_t)st->st_blksize,
        .mount = LC_NONE,
    };
}

bool lc_tree_entry_is_fresh(const struct lc_tree_entry *node)
{
    int64_t limit = (int64_t)time(NULL) - LC_TREE_FRESH_SECONDS;

    return node->stat.ctime >= limit || node->stat.mtime >= limit;
}

/* A further name changes an inode's ctime, perhaps between two looks at it, but not its mtime. */
void lc_tree_entry_key(const struct lc_tree_entry *node, char out[LC_TREE_ENTRY_KEY])
{
    const struct lc_inode *st = &node->stat;
    bool has_names = st->nlink > 1;

    snprintf(out, LC_TREE_ENTRY_KEY, "%d:%" PRIx64 ":%" PRIx64 ":%" PRIx64 ":%" PRIx64 ".%" PRIx32,
             node->kind, node->dev, st->ino, st->size,
             (uint64_t)(has_names ? st->mtime : st->ctime),
             has_names ? st->mtime_ns : st->ctime_ns);
}

void lc_tree_entry_set_absent(struct lc_tree_entry *node, int error)
{
    lc_tree_entry_clear(node);
    node->kind = LC_KIND_ABSENT;
    node->error = error;
}

int lc_tree_entry_set_link(struct lc_tree_entry *node, const char *target)
{
    char *copy = strdup(target);

    if (!copy)
        return -1;
    free(node->target);
    node->target = copy;
    node->stat.size = strlen(target);
    return 0;
}

int lc_tree_entry_set_bytes(struct lc_tree_entry *node, const void *bytes, size_t len)
{
    void *copy = malloc(len + 1);

    if (!copy)
        return -1;
    memcpy(copy, bytes, len);
    free(node->bytes);
    node->bytes = copy;
    node->source = LC_SOURCE_BYTES;
    node->stat.size = len;
    return 0;
}

void lc_tree_entry_set_list(struct lc_tree_entry *node, struct lc_listed_name *list, size_t count,
                            bool complete)
{
    lc_listed_names_free(node->list, node->list_count);
    node->list = list;
    node->list_count = count;
    node->stat.flags &= LC_INODE_ATTRIBUTES;
    node->stat.flags |= LC_INODE_LISTED | (complete ? LC_INODE_COMPLETE : 0);
}

void lc_tree_entry_drop_list(struct lc_tree_entry *node)
{
    lc_listed_names_free(node->list, node->list_count);
    node->list = NULL;
    node->list_count = 0;
    node->stat.count = 0; /* the entry may have been loaded from an image */
    node->stat.data = 0;
    node->stat.flags &= ~(uint32_t)(LC_INODE_LISTED | LC_INODE_COMPLETE);
}

/* Make room for one more element in an array that grows at powers of two. */
static int array_reserve(void **array, size_t count, size_t size)
{
    if (count & (count - 1))
        return 0;
    void *more = realloc(*array, (count ? count * 2 : 1) * size);
    if (!more)
        return -1;
    *array = more;
    return 0;
}

uint32_t lc_tree_mount(struct lc_tree *tree, const char *point, const char *type,
                       const char *source)
{
    for (size_t i = 0; i < tree->mounts; i++)
        if (strcmp(tree->mount[i].point, point) == 0 && strcmp(tree->mount[i].type, type) == 0 &&
            strcmp(tree->mount[i].source, source) == 0)
            return (uint32_t)i;
    struct lc_tree_mount m = {strdup(point), strdup(type), strdup(source)};
    if (!m.point || !m.type || !m.source ||
        array_reserve((void **)&tree->mount, tree->mounts, sizeof(m)) < 0) {
        free(m.point);
        free(m.type);
        free(m.source);
        return LC_NONE;
    }
    tree->mount[tree->mounts++] = m;
    return (uint32_t)tree->mounts - 1;
}

static bool is_same_key(const struct lc_tree_key *a, const struct lc_tree_key *b)
{
    return a->hwcap == b->hwcap && a->hwcap2 == b->hwcap2 && a->cache == b->cache &&
           a->cpu_level == b->cpu_level && strcmp(a->executable, b->executable) == 0 &&
           strcmp(a->library_path, b->library_path) == 0 && strcmp(a->tunables, b->tunables) == 0 &&
           strcmp(a->platform, b->platform) == 0;
}

uint32_t lc_tree_key(struct lc_tree *tree, const struct lc_tree_key *key)
{
    for (size_t i = 0; i < tree->keys; i++)
        if (is_same_key(&tree->key[i], key))
            return (uint32_t)i;
    struct lc_tree_key copy = *key;
    copy.executable = strdup(key->executable);
    copy.library_path = strdup(key->library_path);
    copy.tunables = strdup(key->tunables);
    copy.platform = strdup(key->platform);
    if (!copy.executable || !copy.library_path || !copy.tunables || !copy.platform ||
        array_reserve((void **)&tree->key, tree->keys, sizeof(copy)) < 0) {
        free(copy.executable);
        free(copy.library_path);
        free(copy.tunables);
        free(copy.platform);
        return LC_NONE;
    }
    tree->key[tree->keys++] = copy;
    return (uint32_t)tree->keys - 1;
}

static int append_search(struct lc_tree *tree, const struct lc_tree_search *from)
{
    struct lc_tree_search s = *from;

    s.loader = strdup(from->loader);
    s.name = strdup(from->name);
    s.result = strdup(from->result);
    if (s.loader && s.name && s.result &&
        array_reserve((void **)&tree->search, tree->searches, sizeof(s)) == 0) {
        tree->search[tree->searches++] = s;
        return 0;
    }
    free(s.loader);
    free(s.name);
    free(s.result);
    return -1;
}

int lc_tree_search(struct lc_tree *tree, uint32_t key, uint64_t chain, const char *loader,
                   const char *name, const char *result)
{
    struct lc_buf text = {0};

    lc_buf_printf(&text, "%u %" PRIx64 " %s\n%s", key, chain, loader, name);
    void **at = text.failed ? NULL : lc_map_at(&tree->search_index, text.data);
    lc_buf_free(&text);
    if (!at)
        return -1;
    if (*at) {
        struct lc_tree_search *old = &tree->search[(uintptr_t)*at - 1];
        if (old->result && strcmp(old->result, result) != 0) {
            free(old->result);
            old->result = NULL;
        }
        return 0;
    }
    struct lc_tree_search s = {key, chain, (char *)loader, (char *)name, (char *)result};
    if (append_search(tree, &s) < 0)
        return -1;
    *at = (void *)(uintptr_t)tree->searches;
    return 0;
}
