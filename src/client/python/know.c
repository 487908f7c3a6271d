/* SPDX-License-Identifier: MIT */
/* know.c - what the image knows of a path, without counting: who is told nothing asks again */
#include "client/python/seam.h"

static struct lc_known nothing(enum lc_know what)
{
    return (struct lc_known){what, LC_NONE, NULL};
}

static struct lc_known judge_entry(const struct lc_node *node, const char *path, uint32_t entry)
{
    bool is_written = lc_node_has_written(node) && (lc_node_is_written(node, entry) ||
                                                    !lc_node_confirm(node, path, false, entry));
    uint8_t kind = node->look.entry[entry].kind;
    struct lc_known known = {LC_KNOW_NOTHING, entry, lc_look_inode(&node->look, entry)};

    if (!known.inode || known.inode->mount >= node->state->devs)
        return known;
    if (kind == LC_KIND_DIRECTORY)
        known.what = !is_written && (known.inode->flags & LC_INODE_COMPLETE) ? LC_KNOW_COMPLETE
                                                                             : LC_KNOW_DIRECTORY;
    else if (kind == LC_KIND_FILE && !is_written)
        known.what = LC_KNOW_FILE;
    return known;
}

struct lc_known lc_know(const struct lc_node *node, struct lc_room *room, const char *path,
                        size_t len)
{
    const char *original = lc_node_original(node, path);

    if (original) {
        len -= (size_t)(original - path);
        path = original;
    }
    room->walk.len = 0;
    struct lc_found found = lc_look_walk(&node->look, path, len, LC_WALK_MADE, &room->walk);
    if (found.answer == LC_ANSWER_FOUND)
        return judge_entry(
            node, path[len] ? lc_look_name(&node->look, node->look.entry[found.entry].path) : path,
            found.entry);
    if (found.answer == LC_ANSWER_UNKNOWN)
        return nothing(LC_KNOW_NOTHING);
    const char *clean = room->walk.len ? room->walk.path : path;
    return nothing(lc_node_is_still_absent(node, clean, room->walk.len ? room->walk.len : len)
                       ? LC_KNOW_ABSENT
                       : LC_KNOW_NOTHING);
}
