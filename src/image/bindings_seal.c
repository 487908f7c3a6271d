/* SPDX-License-Identifier: MIT */
/* bindings_seal.c - checksums ("seals") over everything that decides what a replay writes.
 * Freestanding.
 *
 * A plan is written into a process's relocation slots, so an error in it is as bad as an error in
 * code. A section that was damaged, or put together from parts of two sections, may have valid
 * indices and counts and still be wrong; such a plan must not be replayed. An object's seal covers
 * its own record; a plan's seal its words and the identities of all objects they refer to; a
 * group's seal its scope, its members' identities and their plans' seals. */
#include <stddef.h>

#include "image/bindings.h"
#include "image/hash.h"

/* Only one multiplication per step: this runs for every member of a group, in every process. */
static uint64_t seal_step(uint64_t hash, uint64_t a, uint64_t b)
{
    return lc_hash_fold(hash ^ a ^ LC_HASH_P1, lc_hash_rotate(hash, 32) ^ b ^ LC_HASH_P3);
}

static uint64_t identity_of(const struct lc_bindings *b, uint32_t object)
{
    return object < b->head->objects ? b->object[object].identity : object;
}

uint64_t lc_bindings_object_seal(const struct lc_bind_object *o)
{
    return lc_hash(o, offsetof(struct lc_bind_object, seal));
}

uint64_t lc_bindings_plan_seal(const struct lc_bindings *b, const struct lc_bind_plan *p,
                               const struct lc_bind_parts *w)
{
    const uint32_t *end = w->ifunc + 3ull * p->ifuncs;
    uint64_t hash = lc_hash(w->run, (size_t)(end - w->run) * sizeof(*end));

    hash = seal_step(hash, identity_of(b, p->object), p->flags);
    hash = seal_step(hash, (uint64_t)p->runs << 32 | p->bindings,
                     (uint64_t)p->leftovers << 32 | p->ifuncs);
    for (uint32_t i = 0; i < p->runs; i++)
        hash = seal_step(hash, identity_of(b, w->run[2 * i]), i);
    for (uint32_t i = 0; i < p->ifuncs; i++)
        hash = seal_step(hash, identity_of(b, w->ifunc[3 * i + 1]), i);
    return hash;
}

uint64_t lc_bindings_group_seal(const struct lc_bindings *b, const struct lc_bind_group *g)
{
    uint64_t hash = seal_step(g->scope, g->flags, g->count);

    for (uint32_t i = 0; i < g->count; i++) {
        const struct lc_bind_member *m = &b->member[g->first + i];
        uint64_t seal = m->plan < b->head->plans ? b->plan[m->plan].seal : m->plan;
        hash = seal_step(hash, identity_of(b, m->object), seal);
    }
    return hash;
}

/* Plans are sealed before groups, because a group's seal covers the seals of its plans. */
void lc_bindings_seal(void *section, uint64_t len)
{
    struct lc_bindings b;
    struct lc_bind_parts w;

    if (!lc_bindings_open(&b, section, len))
        return;
    struct lc_bind_object *object = (void *)(uintptr_t)b.object;
    struct lc_bind_plan *plan = (void *)(uintptr_t)b.plan;
    struct lc_bind_group *group = (void *)(uintptr_t)b.group;
    for (uint32_t i = 0; i < b.head->objects; i++)
        object[i].seal = lc_bindings_object_seal(&object[i]);
    for (uint32_t i = 0; i < b.head->plans; i++)
        plan[i].seal =
            lc_bindings_plan_parts(&b, &plan[i], &w) ? lc_bindings_plan_seal(&b, &plan[i], &w) : 0;
    for (uint32_t i = 0; i < b.head->groups; i++)
        group[i].seal =
            lc_bindings_has_members(&b, &group[i]) ? lc_bindings_group_seal(&b, &group[i]) : 0;
}
