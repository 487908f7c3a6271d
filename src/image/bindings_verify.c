/* SPDX-License-Identifier: MIT */
/* bindings_verify.c - the complete check of a bindings section. Pure: the fuzz target drives it. */
#include "image/bindings.h"

#include <stddef.h>

/* Is there a list of strings at 'at', ended by an empty one, inside the names? */
static bool has_names(const struct lc_bindings *b, uint32_t at)
{
    for (uint64_t i = at; i + 1 < b->head->names; i++)
        if (!b->names[i] && !b->names[i + 1])
            return true;
    return false;
}

static const char *verify_objects(const struct lc_bindings *b)
{
    for (uint32_t i = 0; i < b->head->objects; i++) {
        const struct lc_bind_object *o = &b->object[i];
        if (!has_names(b, o->name) || o->reason >= LC_BIND_REASONS ||
            (o->flags & ~LC_BIND_OBJECT_FLAGS) || o->name_set > b->head->objects ||
            o->relative > o->rows || o->identity != lc_bindings_identity(o) ||
            o->seal != lc_bindings_object_seal(o))
            return "damaged: an object of the bindings makes no sense";
        if (lc_bindings_by_content(b, o->content, o->dynamic, o->build) != i)
            return "damaged: an object of the bindings is not where its hash says";
    }
    for (uint32_t i = 0; i < b->head->slots; i++)
        if (b->slot[i] > b->head->objects)
            return "damaged: a slot of the bindings points nowhere";
    return NULL;
}

static bool is_before(const struct lc_bind_group *a, const struct lc_bind_group *b)
{
    if (a->root != b->root)
        return a->root < b->root;
    return a->scope != b->scope ? a->scope < b->scope : a->flags <= b->flags;
}

static const char *verify_members(const struct lc_bindings *b, const struct lc_bind_group *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        const struct lc_bind_member *m = &b->member[g->first + i];
        if (m->object >= b->head->objects ||
            (m->plan != LC_NONE &&
             (m->plan >= b->head->plans || b->plan[m->plan].object != m->object)))
            return "damaged: a member of a group of bindings points nowhere";
    }
    if (!g->count || b->member[g->first].object != g->root)
        return "damaged: a group of bindings does not begin with its root";
    return g->seal == lc_bindings_group_seal(b, g)
               ? NULL
               : "damaged: the seal of a group of bindings is broken";
}

static const char *verify_groups(const struct lc_bindings *b)
{
    for (uint32_t i = 0; i < b->head->groups; i++) {
        const struct lc_bind_group *g = &b->group[i];
        if (g->root >= b->head->objects || !lc_bindings_has_members(b, g) ||
            (g->flags & ~(uint32_t)LC_BIND_GROUP_START) || (i > 0 && !is_before(g - 1, g)))
            return "damaged: a group of bindings makes no sense";
        const char *bad = verify_members(b, g);
        if (bad)
            return bad;
    }
    return NULL;
}

static bool is_provider(const struct lc_bindings *b, uint32_t provider)
{
    return provider < b->head->objects || provider == LC_BIND_SELF || provider == LC_BIND_ZERO;
}

static uint32_t extent_of(const struct lc_bindings *b, const struct lc_bind_plan *p,
                          uint32_t provider)
{
    return provider == LC_BIND_ZERO
               ? 0
               : b->object[provider == LC_BIND_SELF ? p->object : provider].extent;
}

static bool has_good_run(const struct lc_bindings *b, const struct lc_bind_plan *p,
                         const uint32_t *binding, uint32_t count, uint32_t limit)
{
    uint32_t own = b->object[p->object].extent;

    for (uint32_t i = 0; i < count; i++)
        if (own < 8 || binding[2 * i] > own - 8 || binding[2 * i + 1] > limit)
            return false;
    return true;
}

static bool has_good_bindings(const struct lc_bindings *b, const struct lc_bind_plan *p,
                              const struct lc_bind_parts *w)
{
    uint32_t done = 0;

    for (uint32_t i = 0; i < p->runs; i++) {
        uint32_t provider = w->run[2 * i], count = w->run[2 * i + 1];
        if (!is_provider(b, provider) || count > p->bindings - done ||
            !has_good_run(b, p, w->binding + 2ull * done, count, extent_of(b, p, provider)))
            return false;
        done += count;
    }
    return done == p->bindings;
}

static const char *verify_plan(const struct lc_bindings *b, const struct lc_bind_plan *p)
{
    struct lc_bind_parts w;

    if (p->object >= b->head->objects || (p->flags & ~(uint32_t)LC_BIND_KEEPS_PLT) ||
        !lc_bindings_plan_parts(b, p, &w) || !has_good_bindings(b, p, &w))
        return "damaged: a plan of the bindings makes no sense";
    for (uint32_t i = 0; i < p->leftovers; i++)
        if (w.leftover[i] >= b->object[p->object].rows)
            return "damaged: a leftover of the bindings is no relocation";
    for (uint32_t i = 0; i < p->ifuncs; i++)
        if (w.ifunc[3 * i] >= b->object[p->object].extent || !is_provider(b, w.ifunc[3 * i + 1]) ||
            w.ifunc[3 * i + 2] >= extent_of(b, p, w.ifunc[3 * i + 1]))
            return "damaged: a resolver of the bindings lies outside";
    return p->seal == lc_bindings_plan_seal(b, p, &w)
               ? NULL
               : "damaged: the seal of a plan of the bindings is broken";
}

const char *lc_bindings_verify(const struct lc_bindings *b)
{
    const char *bad = verify_objects(b);

    if (!bad)
        bad = verify_groups(b);
    for (uint32_t i = 0; i < b->head->plans && !bad; i++)
        bad = verify_plan(b, &b->plan[i]);
    return bad;
}
