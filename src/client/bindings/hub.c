/* SPDX-License-Identifier: MIT */
/* hub.c - one object that needs what many modules need. Freestanding. */
#include "client/bindings/hub.h"

#include <dlfcn.h>

#include "client/bindings/prune.h"
#include "image/bytes.h"
#include "node/dynamic_tags.h"

static struct lc_hub hub[LC_HUBS];
static uint64_t key[LC_HUBS];   /* hash of all objects below the model, in ld.so's order */
static bool is_closed[LC_HUBS]; /* what the hub itself needs is hidden for good */
static uint32_t hubs;
static struct lc_leaner leaner[LC_LEANERS];
static uint32_t leaners;

static const struct lc_bind_member *members_of(const struct lc_apply *a,
                                               const struct lc_bind_group *g)
{
    return a->b.member + g->first;
}

/* Equal for modules whose search lists are equal but for themselves. */
static uint64_t key_of(const struct lc_apply *a, const struct lc_bind_group *g)
{
    const struct lc_bind_member *m = members_of(a, g);
    uint64_t h = g->count;

    for (uint32_t i = 1; i < g->count; i++)
        h = (h ^ m[i].object) * 0x9e3779b97f4a7c15u + (h >> 29);
    return h;
}

/* ld.so looks up nothing for it itself: it might be found only below the hub. */
static bool may_lean(const struct lc_apply *a, const struct lc_hub_case *c)
{
    const struct lc_pending *p = &a->pending[0];

    return a->pendings == 1 && !a->is_verifying && p->plan && p->plan->leftovers == 0 &&
           p->bound.needed && p->bound.strings && c->group->count > lc_prune_least() &&
           !(c->call->flags & (RTLD_GLOBAL | RTLD_DEEPBIND)) && c->call->slot;
}

bool lc_hub_are_settled(const struct lc_apply *a, const struct lc_hub_case *c)
{
    const struct lc_bind_member *m = members_of(a, c->group);
    uint32_t next = 0;

    for (uint32_t i = 0; i < c->group->count; i++)
        if (next < a->pendings && a->pending[next].object == m[i].object)
            next++;
        else if (m[i].object >= a->b.head->objects || !c->is_settled[m[i].object])
            return false;
    return next == a->pendings;
}

static void make_model(struct lc_hub *h, const struct lc_apply *a, const struct lc_hub_case *c)
{
    const struct link_map *map = a->pending[0].map;
    size_t len = lc_bytes_length(map->l_name) + 1;

    if (h->model || h->has_failed || __atomic_load_n(&h->is_busy, __ATOMIC_SEQ_CST) ||
        len > sizeof(h->path) || !lc_hub_are_settled(a, c))
        return;
    lc_bytes_move(h->path, map->l_name, len);
    h->thread = c->call->thread;
    h->slot = c->call->slot;
    h->caller = c->call->caller;
    __atomic_store_n(&h->model, map, __ATOMIC_SEQ_CST);
}

static struct lc_hub *find_hub(uint64_t wanted)
{
    for (uint32_t i = 0; i < hubs; i++)
        if (key[i] == wanted)
            return &hub[i];
    if (hubs == LC_HUBS)
        return NULL;
    key[hubs] = wanted;
    return &hub[hubs++];
}

/* The hub's own lists are made; nobody need walk them again. */
static void close_hub(const struct lc_hub *h)
{
    if (is_closed[h - hub])
        return;
    is_closed[h - hub] = true;
    for (ElfW(Dyn) *d = h->map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED)
            d->d_tag = LC_HIDDEN_TAG;
}

static void add_leaner(const struct lc_pending *p, const struct lc_hub *h)
{
    struct lc_leaner *l = lc_leaner_of(leaner, p->map);

    *l = (struct lc_leaner){p->map, h, p->bound.base, p->bound.base + p->bound.extent};
    leaners++;
}

static uint32_t lean(struct lc_pending *p, const struct lc_hub *h)
{
    uint32_t hidden = 0;

    for (ElfW(Dyn) *d = p->bound.needed + 1; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED) {
            d->d_tag = LC_HIDDEN_TAG;
            hidden++;
        }
    p->was_needed = p->bound.needed->d_un.d_val;
    p->bound.needed->d_un.d_val = (uintptr_t)h->name - (uintptr_t)p->bound.strings;
    p->is_pruned = p->leans = true;
    return hidden;
}

void lc_hub_restore(struct lc_pending *p)
{
    if (p->leans)
        p->bound.needed->d_un.d_val = p->was_needed;
    p->leans = false;
}

uint32_t lc_hub_lean(struct lc_apply *a, struct lc_notes *notes, const struct lc_hub_case *c)
{
    struct lc_hub *h = notes && may_lean(a, c) ? find_hub(key_of(a, c->group)) : NULL;

    if (!h || leaners >= LC_LEANERS / 2)
        return 0;
    notes->leaner = leaner;
    notes->hub = hub;
    notes->hubs = hubs;
    if (!h->map) {
        make_model(h, a, c);
        return 0;
    }
    close_hub(h);
    add_leaner(&a->pending[0], h);
    return lean(&a->pending[0], h);
}

bool lc_hub_opened(const struct link_map *map)
{
    static const char prefix[] = LC_HUB_PREFIX;
    const char *path = map->l_name ? map->l_name : "";

    if (!hubs || lc_bytes_length(path) < sizeof(prefix) ||
        !lc_bytes_equal(path, prefix, sizeof(prefix) - 1))
        return false;
    const char *name = lc_tag_text(map, DT_SONAME);
    for (uint32_t i = 0; name && i < hubs; i++)
        if (lc_bytes_same(hub[i].name, name)) {
            hub[i].map = map;
            is_closed[i] = false;
        }
    return true;
}

void lc_hub_closed(const struct link_map *map)
{
    for (uint32_t i = 0; i < hubs; i++) {
        if (hub[i].model == map)
            hub[i].model = NULL;
        if (hub[i].map == map) {
            hub[i].map = NULL;
            hub[i].handle = NULL;
        }
    }
    if (!leaners)
        return;
    struct lc_leaner *l = lc_leaner_of(leaner, map);
    if (l->map == map) /* its place stays taken, so that others are still found */
        *l = (struct lc_leaner){.map = LC_LEANER_GONE};
}
