/* SPDX-License-Identifier: MIT */
/* pack_listings.c - read the listings of directories into the image */
#include "record/pack_steps.h"

#include <errno.h>
#include <string.h>

#include "util/path.h"

bool lc_changed_since(const struct lc_tree_entry *node, uint64_t wall_ns)
{
    uint64_t mtime = (uint64_t)node->stat.mtime * 1000000000u + node->stat.mtime_ns;
    uint64_t ctime = (uint64_t)node->stat.ctime * 1000000000u + node->stat.ctime_ns;

    return wall_ns > 0 &&
           ((node->stat.mtime > 0 && mtime > wall_ns) || (node->stat.ctime > 0 && ctime > wall_ns));
}

/* Is this a managed directory that nobody writes to, or one that --add named? */
static bool may_be_listed(const struct lc_pack *pack, const struct lc_resolution *r,
                          const char *dir, const struct lc_tree_entry *node)
{
    unsigned uses = lc_resolution_uses(r, dir);

    if (uses & LC_USE_ASKED)
        return true;
    return lc_rules_is_managed(pack->rules, dir, uses) && !lc_rules_is_changing(pack->rules, dir) &&
           !(uses & (LC_USE_WRITE | LC_USE_RENAMES)) &&
           !lc_changed_since(node, pack->seen->start_ns);
}

/* Reads a directory's listing if it should have one. A directory that cannot be listed, or changes
 * meanwhile, stays without. */
static int list_directory(const struct lc_pack *pack, const struct lc_resolution *r,
                          const char *dir, struct lc_tree_entry *node)
{
    unsigned uses = lc_resolution_uses(r, dir);
    bool complete = lc_rules_may_be_complete(pack->rules, dir) || (uses & LC_USE_ASKED);

    if (node->kind != LC_KIND_DIRECTORY || (node->stat.flags & LC_INODE_COMPLETE) ||
        !may_be_listed(pack, r, dir, node))
        return 0;
    if (!complete && (!(uses & LC_USE_LIST) || (node->stat.flags & LC_INODE_LISTED)))
        return 0;
    errno = 0;
    if (lc_path_read_list(dir, node, complete) < 0 && errno == ENOMEM)
        return -1;
    return 0;
}

/* Lists the directory of 'path'. 'tried' makes sure that each is tried only once. */
static int complete_parent(const struct lc_pack *pack, const struct lc_resolution *r,
                           const char *path, struct lc_map *tried)
{
    char dir[LC_PATH_MAX];
    size_t len = lc_path_dir_len(path);

    if (len == 0 || len >= sizeof(dir))
        return 0;
    memcpy(dir, path, len);
    dir[len] = '\0';
    struct lc_tree_entry *node = lc_tree_find(pack->reader.tree, dir);
    void **at = lc_map_at(tried, dir);
    if (!at || *at)
        return at ? 0 : -1;
    *at = tried;
    return node ? list_directory(pack, r, dir, node) : 0;
}

int lc_pack_list_directories(struct lc_pack *pack, const struct lc_resolution *r)
{
    const struct lc_map *nodes = &pack->reader.tree->entries;
    struct lc_map tried = {0};
    int rc = 0;

    for (size_t i = 0; i < nodes->count && rc == 0; i++) {
        struct lc_tree_entry *node = nodes->entry[i].value;
        const char *path = nodes->entry[i].key;
        unsigned uses = lc_resolution_uses(r, path);
        if (!node->kind || !uses || !lc_rules_is_managed(pack->rules, path, uses))
            continue;
        if (uses & LC_USE_LIST)
            rc = list_directory(pack, r, path, node);
        if (rc == 0)
            rc = complete_parent(pack, r, path, &tried);
    }
    lc_map_free(&tried, NULL);
    return rc;
}
