/* SPDX-License-Identifier: MIT */
/* path_info.c - what the image knows of a path. Nothing is counted here: if the answer is
 * "unknown", the path is looked up again by a function that counts it */
#include "client/python/seam.h"

static struct lc_path_info info_without_entry(enum lc_path_state what)
{
    return (struct lc_path_info){what, LC_NONE, NULL};
}

static struct lc_path_info info_of_entry(const struct lc_node *node, const char *path,
                                         uint32_t entry)
{
    bool is_written = lc_node_has_written(node) && (lc_node_is_written(node, entry) ||
                                                    !lc_node_confirm(node, path, false, entry));
    uint8_t kind = node->look.entry[entry].kind;
    struct lc_path_info known = {LC_PATH_UNKNOWN, entry, lc_look_inode(&node->look, entry)};

    if (!known.inode || known.inode->mount >= node->state->devs)
        return known;
    if (kind == LC_KIND_DIRECTORY)
        known.what = !is_written && (known.inode->flags & LC_INODE_COMPLETE) ? LC_PATH_COMPLETE
                                                                             : LC_PATH_DIRECTORY;
    else if (kind == LC_KIND_FILE && !is_written)
        known.what = LC_PATH_FILE;
    return known;
}

struct lc_path_info lc_path_info_find(const struct lc_node *node, struct lc_scratch *scratch,
                                      const char *path, size_t len)
{
    const char *original = lc_node_original(node, path);

    if (original) {
        len -= (size_t)(original - path);
        path = original;
    }
    scratch->walk.len = 0;
    struct lc_found found = lc_look_walk(&node->look, path, len, LC_WALK_MADE, &scratch->walk);
    if (found.answer == LC_ANSWER_FOUND)
        return info_of_entry(
            node, path[len] ? lc_look_name(&node->look, node->look.entry[found.entry].path) : path,
            found.entry);
    if (found.answer == LC_ANSWER_UNKNOWN)
        return info_without_entry(LC_PATH_UNKNOWN);
    const char *clean = scratch->walk.len ? scratch->walk.path : path;
    return info_without_entry(
        lc_node_is_still_absent(node, clean, scratch->walk.len ? scratch->walk.len : len)
            ? LC_PATH_ABSENT
            : LC_PATH_UNKNOWN);
}
