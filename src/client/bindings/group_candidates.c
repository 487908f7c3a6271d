/* SPDX-License-Identifier: MIT */
/* group_candidates.c - which recorded groups agree with what is loaded so far? Freestanding. */
#include "client/bindings/group_candidates.h"

#include <stdbool.h>
#include <stddef.h>

void lc_group_candidates_find(struct lc_group_candidates *all, const struct lc_bindings *recorded,
                              uint32_t root, uint32_t flags, uint64_t scope)
{
    uint32_t i = lc_bindings_first_group(recorded, root);

    all->count = 0;
    for (; i < recorded->head->groups && recorded->group[i].root == root; i++) {
        const struct lc_bind_group *g = &recorded->group[i];
        if (g->flags != flags || (!(flags & LC_BIND_GROUP_START) && g->scope != scope) ||
            !lc_bindings_has_members(recorded, g))
            continue;
        if (all->count == LC_GROUP_CANDIDATES_MAX)
            return;
        all->item[all->count++] = (struct lc_group_candidate){g, 0};
    }
}

static uint32_t next_member(const struct lc_group_candidate *c, const struct lc_loaded_set *loaded)
{
    return loaded->recorded->member[c->group->first + c->next].object;
}

/* ld.so does not load again what is loaded already. */
static void skip_loaded_members(struct lc_group_candidate *c, const struct lc_loaded_set *loaded)
{
    while (c->next < c->group->count && lc_loaded_set_has(loaded, next_member(c, loaded)))
        c->next++;
}

void lc_group_candidates_filter(struct lc_group_candidates *all, const struct lc_loaded_set *loaded,
                                uint32_t object)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < all->count; i++) {
        struct lc_group_candidate c = all->item[i];
        skip_loaded_members(&c, loaded);
        if (c.next == c.group->count || next_member(&c, loaded) != object)
            continue;
        c.next++;
        all->item[kept++] = c;
    }
    all->count = kept;
}

const struct lc_bind_group *lc_group_candidates_complete(struct lc_group_candidates *all,
                                                         const struct lc_loaded_set *loaded)
{
    struct lc_group_candidate *only = &all->item[0];

    if (all->count != 1)
        return NULL;
    skip_loaded_members(only, loaded);
    return only->next == only->group->count ? only->group : NULL;
}
