/* SPDX-License-Identifier: MIT */
/* bindings_build.c - collect objects, groups and plans, each once */
#include "image/bindings_build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/hash.h"

void lc_bind_build_free(struct lc_bind_build *b)
{
    for (size_t i = 0; i < b->objects; i++)
        lc_map_free(&b->names[i], NULL);
    free(b->names);
    free(b->object);
    lc_map_free(&b->by_content, NULL);
    lc_map_free(&b->by_plan, NULL);
    lc_buf_free(&b->groups);
    lc_buf_free(&b->members);
    lc_buf_free(&b->plans);
    lc_buf_free(&b->words);
    *b = (struct lc_bind_build){0};
}

void lc_bind_build_name(struct lc_bind_build *b, uint32_t object, const char *name)
{
    if (name[0] && object < b->objects && !lc_map_at(&b->names[object], name))
        b->failed = 1;
}

void lc_bind_build_alias(struct lc_bind_build *b, uint32_t object, uint64_t alias)
{
    uint64_t *now = &b->object[object].alias;

    if (alias && *now != alias)
        *now = *now ? UINT64_MAX : alias;
}

static int objects_grow(struct lc_bind_build *b)
{
    if (b->objects & (b->objects - 1))
        return 0;
    size_t room = b->objects ? b->objects * 2 : 1;
    void *object = realloc(b->object, room * sizeof(*b->object));
    b->object = object ? object : b->object;
    void *names = realloc(b->names, room * sizeof(*b->names));
    b->names = names ? names : b->names;
    return object && names ? 0 : -1;
}

uint32_t lc_bind_build_object(struct lc_bind_build *b, const struct lc_bind_object *o,
                              const char *path)
{
    char key[64];

    snprintf(key, sizeof(key), "%016" PRIx64 "%016" PRIx64, o->content[0], o->content[1]);
    void **at = lc_map_at(&b->by_content, key);
    if (!at || (!*at && objects_grow(b) < 0)) {
        b->failed = 1;
        return LC_NONE;
    }
    if (!*at) {
        b->object[b->objects] = *o;
        b->object[b->objects].identity = lc_bindings_identity(o);
        b->names[b->objects++] = (struct lc_map){0};
        *at = (void *)b->objects;
    }
    uint32_t i = (uint32_t)((size_t)*at - 1);
    if (o->reason == LC_BIND_LAZY)
        lc_bind_build_drop_plans(b, i);
    else if (b->object[i].reason != LC_BIND_LAZY &&
             (o->reason == LC_BIND_FINE || b->object[i].reason == LC_BIND_UNSEEN))
        b->object[i].reason = o->reason;
    b->object[i].flags |= o->flags;
    lc_bind_build_alias(b, i, o->alias);
    lc_bind_build_name(b, i, path);
    return i;
}

uint32_t lc_bind_build_plan(struct lc_bind_build *b, const struct lc_bind_plan *plan,
                            const uint32_t *words)
{
    struct lc_bind_plan p = *plan;
    char key[96];

    if (b->object[p.object].reason == LC_BIND_LAZY)
        return LC_NONE;
    snprintf(key, sizeof(key),
             "%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %016" PRIx64, p.object,
             p.flags, p.runs, p.bindings, p.leftovers,
             lc_hash(words, lc_bindings_plan_words(&p) * sizeof(*words)));
    void **at = lc_map_at(&b->by_plan, key);
    if (!at) {
        b->failed = 1;
        return LC_NONE;
    }
    if (!*at) {
        p.first = b->words.len / sizeof(*words);
        lc_buf_add(&b->words, words, lc_bindings_plan_words(&p) * sizeof(*words));
        lc_buf_add(&b->plans, &p, sizeof(p));
        *at = (void *)(b->plans.len / sizeof(p));
    }
    return (uint32_t)((size_t)*at - 1);
}

void lc_bind_build_drop_plans(struct lc_bind_build *b, uint32_t object)
{
    struct lc_bind_member *m = (void *)b->members.data;

    b->object[object].reason = LC_BIND_LAZY;
    for (size_t i = 0; i < b->members.len / sizeof(*m); i++)
        if (m[i].object == object)
            m[i].plan = LC_NONE;
}

static struct lc_bind_member *members_of(struct lc_bind_build *b, const struct lc_bind_group *g)
{
    return (struct lc_bind_member *)(void *)b->members.data + g->first;
}

static bool group_has_members(struct lc_bind_build *b, const struct lc_bind_group *g,
                              const struct lc_bind_member *member)
{
    const struct lc_bind_member *mine = members_of(b, g);

    for (uint32_t i = 0; i < g->count; i++)
        if (mine[i].object != member[i].object)
            return false;
    return true;
}

/* Take over plans that the group did not know. If both have a plan for a member and they differ,
 * neither can be trusted: the member is left to ld.so. */
static void plans_merge(struct lc_bind_member *mine, const struct lc_bind_member *more,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (mine[i].plan == LC_NONE)
            mine[i].plan = more[i].plan;
        else if (more[i].plan != LC_NONE && more[i].plan != mine[i].plan)
            mine[i].plan = LC_NONE;
}

void lc_bind_build_group(struct lc_bind_build *b, const struct lc_bind_group *g,
                         const struct lc_bind_member *member)
{
    struct lc_bind_group *all = (void *)b->groups.data, made = *g;
    size_t count = b->groups.len / sizeof(*all);

    for (size_t i = 0; i < count; i++)
        if (all[i].root == g->root && all[i].scope == g->scope && all[i].flags == g->flags &&
            all[i].count == g->count && group_has_members(b, &all[i], member)) {
            plans_merge(members_of(b, &all[i]), member, g->count);
            return;
        }
    made.first = (uint32_t)(b->members.len / sizeof(*member));
    lc_buf_add(&b->members, member, g->count * sizeof(*member));
    lc_buf_add(&b->groups, &made, sizeof(made));
}
