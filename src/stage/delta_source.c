/* SPDX-License-Identifier: MIT */
/* delta_source.c - content that this user's other node directories on this node hold already */
#include "stage/delta_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stage/list.h"
#include "util/map.h"

struct lc_donors {
    struct lc_map path; /* by hash and size */
    const char *except;
};

static void make_key(char key[64], const struct lc_inode *inode)
{
    snprintf(key, 64, "%016" PRIx64 "%016" PRIx64 "%" PRIx64, inode->hash[0], inode->hash[1],
             inode->size);
}

static void add(struct lc_donors *donors, const struct lc_nodedir *node, uint32_t entry)
{
    const struct lc_inode *inode = lc_look_inode(&node->look, entry);
    char key[64];

    if (!inode || inode->size == 0)
        return;
    make_key(key, inode);
    void **at = lc_map_at(&donors->path, key);
    char *path = NULL;
    if (at && !*at &&
        asprintf(&path, "%s%s%s", node->path, LC_NODE_FILES,
                 lc_look_name(&node->look, node->look.entry[entry].path)) > 0)
        *at = path;
}

static void add_node(void *arg, const char *path, const struct lc_nodedir *node,
                     const struct lc_error *why)
{
    struct lc_donors *donors = arg;

    (void)path;
    (void)why;
    if (!node || strcmp(node->name, donors->except) == 0)
        return;
    const struct lc_staged *slot =
        (const void *)((const char *)node->state + node->state->slot_offset);
    for (uint32_t i = 0; i < node->state->slots; i++)
        if (slot[i].ino && slot[i].entry < node->look.entries)
            add(donors, node, slot[i].entry);
}

struct lc_donors *lc_donors_find(int user, const char *user_path, const char *except)
{
    struct lc_donors *donors = calloc(1, sizeof(*donors));

    if (!donors)
        return NULL;
    donors->except = except;
    lc_list_nodes(user, user_path, add_node, donors);
    if (donors->path.count > 0)
        return donors;
    lc_donors_free(donors);
    return NULL;
}

void lc_donors_free(struct lc_donors *donors)
{
    if (donors)
        lc_map_free(&donors->path, free);
    free(donors);
}

const char *lc_donors_path(const struct lc_donors *donors, const struct lc_inode *inode)
{
    char key[64];

    if (!donors || inode->size == 0)
        return NULL;
    make_key(key, inode);
    return lc_map_get(&donors->path, key);
}
