/* SPDX-License-Identifier: MIT */
/* candidates.c - which of the recorded groups may be the one that is being loaded? Freestanding. */
#include "client/bindings/candidates.h"

#include <stdbool.h>
#include <stddef.h>

void lc_candidates_find(struct lc_candidates *all, const struct lc_bindings *b, uint32_t root,
                        uint32_t flags, uint64_t scope)
{
    uint32_t i = lc_bindings_groups_of(b, root);

    all->count = 0;
    for (; i < b->head->groups && b->group[i].root == root; i++) {
        const struct lc_bind_group *g = &b->group[i];
        if (g->flags != flags || (!(flags & LC_BIND_GROUP_START) && g->scope != scope) ||
            !lc_bindings_has_members(b, g))
            continue;
        if (all->count == LC_CANDIDATES_MAX)
            return;
        all->item[all->count++] = (struct lc_candidate){g, 0};
    }
}

static uint32_t object_at(const struct lc_present *present, const struct lc_candidate *c)
{
    return present->b->member[c->group->first + c->at].object;
}

/* Is it there already, and will ld.so take it? */
static bool is_there(const struct lc_present *present, uint32_t object)
{
    return object < present->b->head->objects && present->base[object] &&
           !present->is_alias[object];
}

/* Pass over members that are there already. */
static void pass_over(struct lc_candidate *c, const struct lc_present *present)
{
    while (c->at < c->group->count && is_there(present, object_at(present, c)))
        c->at++;
}

void lc_candidates_filter(struct lc_candidates *all, const struct lc_present *present,
                          uint32_t object)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < all->count; i++) {
        struct lc_candidate c = all->item[i];
        pass_over(&c, present);
        if (c.at == c.group->count || object_at(present, &c) != object)
            continue;
        c.at++;
        all->item[kept++] = c;
    }
    all->count = kept;
}

const struct lc_bind_group *lc_candidates_complete(struct lc_candidates *all,
                                                   const struct lc_present *present)
{
    struct lc_candidate *only = &all->item[0];

    if (all->count != 1)
        return NULL;
    pass_over(only, present);
    return only->at == only->group->count ? only->group : NULL;
}
