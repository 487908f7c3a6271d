/* SPDX-License-Identifier: MIT */
/* delta_source.c - contents that other node directories of this user on this node have already */
#include "stage/delta_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stage/nodedir.h"
#include "util/map.h"

struct lc_delta_sources {
    struct lc_map path; /* by hash and size */
    const char *except;
};

static void key_make(char key[64], const struct lc_inode *inode)
{
    snprintf(key, 64, "%016" PRIx64 "%016" PRIx64 "%" PRIx64, inode->hash[0], inode->hash[1],
             inode->size);
}

static void file_add(struct lc_delta_sources *sources, const struct lc_nodedir *node,
                     uint32_t entry)
{
    const struct lc_inode *inode = lc_look_inode(&node->look, entry);
    char key[64];

    if (!inode || inode->size == 0)
        return;
    key_make(key, inode);
    void **at = lc_map_at(&sources->path, key);
    char *path = NULL;
    if (at && !*at &&
        asprintf(&path, "%s%s%s", node->path, LC_NODE_FILES,
                 lc_look_name(&node->look, node->look.entry[entry].path)) > 0)
        *at = path;
}

static void nodedir_add(void *arg, const char *path, const struct lc_nodedir *node,
                        const struct lc_error *why)
{
    struct lc_delta_sources *sources = arg;

    (void)path;
    (void)why;
    if (!node || strcmp(node->name, sources->except) == 0)
        return;
    const struct lc_staged *slot =
        (const void *)((const char *)node->state + node->state->slot_offset);
    for (uint32_t i = 0; i < node->state->slots; i++)
        if (slot[i].ino && slot[i].entry < node->look.entries)
            file_add(sources, node, slot[i].entry);
}

struct lc_delta_sources *lc_delta_sources_find(int user, const char *user_path, const char *except)
{
    struct lc_delta_sources *sources = calloc(1, sizeof(*sources));

    if (!sources)
        return NULL;
    sources->except = except;
    lc_nodedir_each(user, user_path, nodedir_add, sources);
    if (sources->path.count > 0)
        return sources;
    lc_delta_sources_free(sources);
    return NULL;
}

void lc_delta_sources_free(struct lc_delta_sources *sources)
{
    if (sources)
        lc_map_free(&sources->path, free);
    free(sources);
}

const char *lc_delta_sources_path(const struct lc_delta_sources *sources,
                                  const struct lc_inode *inode)
{
    char key[64];

    if (!sources || inode->size == 0)
        return NULL;
    key_make(key, inode);
    return lc_map_get(&sources->path, key);
}
