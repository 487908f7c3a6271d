/* SPDX-License-Identifier: MIT */
/* bindings.c - the bindings section, used straight from a mapping. Freestanding. */
#include "image/bindings.h"

#include "image/hash.h"

/* Take a table of 'count' records off the front of the remaining bytes; NULL if it does not fit. */
static const void *table_take(const unsigned char **at, uint64_t *left, uint64_t count,
                              uint64_t record)
{
    const void *table = *at;

    if (count > *left / record)
        return NULL;
    uint64_t len = count * record, padded = (len + 7) & ~(uint64_t)7;
    if (padded > *left)
        return NULL;
    *at += padded;
    *left -= padded;
    return table;
}

static bool has_good_slots(const struct lc_bind_head *h)
{
    return h->slots && !(h->slots & (h->slots - 1)) && h->slots / 2 > h->objects;
}

bool lc_bindings_is_known(const void *bytes, uint64_t len)
{
    const struct lc_bind_head *h = bytes;

    return len < sizeof(*h) || h->version == LC_BIND_VERSION;
}

bool lc_bindings_open(struct lc_bindings *b, const void *bytes, uint64_t len)
{
    const unsigned char *at = bytes;
    uint64_t left = len;
    const struct lc_bind_head *h = table_take(&at, &left, 1, sizeof(*h));

    if (!h || h->version != LC_BIND_VERSION || !has_good_slots(h) || !h->names)
        return false;
    b->head = h;
    return (b->object = table_take(&at, &left, h->objects, sizeof(*b->object))) &&
           (b->group = table_take(&at, &left, h->groups, sizeof(*b->group))) &&
           (b->plan = table_take(&at, &left, h->plans, sizeof(*b->plan))) &&
           (b->member = table_take(&at, &left, h->members, sizeof(*b->member))) &&
           (b->slot = table_take(&at, &left, h->slots, sizeof(*b->slot))) &&
           (b->word = table_take(&at, &left, h->words, sizeof(*b->word))) &&
           (b->names = table_take(&at, &left, h->names, 1)) && b->names[h->names - 1] == '\0' &&
           left == 0;
}

uint64_t lc_bindings_content_key(const uint64_t content[2])
{
    return content[0] ^ content[1] >> 7;
}

uint64_t lc_bindings_build_key(uint64_t dynamic, uint64_t build)
{
    uint64_t pair[2] = {dynamic, build};

    return lc_hash(pair, sizeof(pair));
}

uint64_t lc_bindings_identity(const struct lc_bind_object *o)
{
    return lc_hash(o->content, 4 * sizeof(uint64_t));
}

/* Iterates over the objects whose key hashes to the same slot. */
static uint32_t object_next(const struct lc_bindings *b, uint32_t *place, uint32_t *tries)
{
    uint32_t slots = b->head->slots;

    if ((*tries)++ >= slots)
        return LC_NONE;
    uint32_t found = b->slot[*place & (slots - 1)];
    *place = (*place + 1) & (slots - 1);
    return found && found <= b->head->objects ? found - 1 : LC_NONE;
}

uint32_t lc_bindings_by_content(const struct lc_bindings *b, const uint64_t content[2],
                                uint64_t dynamic, uint64_t build)
{
    uint32_t place = (uint32_t)lc_bindings_content_key(content), tries = 0, i;

    while ((i = object_next(b, &place, &tries)) != LC_NONE) {
        const struct lc_bind_object *o = &b->object[i];
        if (o->content[0] == content[0] && o->content[1] == content[1])
            return o->dynamic == dynamic && o->build == build ? i : LC_NONE;
    }
    return LC_NONE;
}

uint32_t lc_bindings_by_build(const struct lc_bindings *b, uint64_t dynamic, uint64_t build)
{
    uint32_t place = (uint32_t)lc_bindings_build_key(dynamic, build), tries = 0, i;
    uint32_t found = LC_NONE;

    while (build && (i = object_next(b, &place, &tries)) != LC_NONE) {
        if (b->object[i].dynamic != dynamic || b->object[i].build != build || i == found)
            continue;
        if (found != LC_NONE)
            return LC_NONE; /* two contents have the same build-id and cannot be told apart */
        found = i;
    }
    return found;
}

uint32_t lc_bindings_first_group(const struct lc_bindings *b, uint32_t root)
{
    uint32_t low = 0, high = b->head->groups;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (b->group[middle].root < root)
            low = middle + 1;
        else
            high = middle;
    }
    return low < b->head->groups && b->group[low].root == root ? low : LC_NONE;
}

const char *lc_bindings_name(const struct lc_bindings *b, uint32_t object)
{
    return object < b->head->objects && b->object[object].name < b->head->names
               ? b->names + b->object[object].name
               : "";
}

bool lc_bindings_has_members(const struct lc_bindings *b, const struct lc_bind_group *g)
{
    return g->first <= b->head->members && g->count <= b->head->members - g->first;
}

bool lc_bindings_plan_parts(const struct lc_bindings *b, const struct lc_bind_plan *p,
                            struct lc_bind_parts *out)
{
    uint64_t need = lc_bindings_plan_words(p);

    if (p->first > b->head->words || need > b->head->words - p->first)
        return false;
    out->run = b->word + p->first;
    out->binding = out->run + 2ull * p->runs;
    out->leftover = out->binding + 2ull * p->bindings;
    out->ifunc = out->leftover + p->leftovers;
    return true;
}

uint64_t lc_bindings_mix(uint64_t hash, uint64_t more)
{
    uint64_t pair[2] = {hash, more};

    return lc_hash(pair, sizeof(pair));
}

uint64_t lc_bindings_scope_hash(const struct lc_bind_scope_item *item, uint32_t count)
{
    uint64_t scope = 0;

    for (uint32_t i = 0; i < count; i++)
        scope = lc_bindings_mix(scope, item[i].identity);
    return scope;
}

const char *lc_bindings_reason(uint32_t reason)
{
    switch (reason) {
    case LC_BIND_FINE:
        return "replayed";
    case LC_BIND_LIBC:
        return "the C library is left alone";
    case LC_BIND_LAYOUT:
        return "its layout: text relocations, -Bsymbolic, no DT_RELA or a read-only .dynamic";
    case LC_BIND_CHANGED:
        return "its file could not be read, or was not what had been loaded";
    case LC_BIND_LAZY:
        return "what it binds lazily may come from an object loaded later";
    case LC_BIND_UNSEEN:
        return "it was not relocated while being recorded";
    default:
        return "unknown";
    }
}

const char *lc_bindings_keep_reason(const struct lc_bind_object *o)
{
    if (lc_bindings_may_prune(o))
        return NULL;
    if (o->flags & LC_BIND_IN_CYCLE)
        return "something that came with it needs the library that brought both";
    if (o->flags & LC_BIND_NEEDED_LATER)
        return "something that was opened later needs it";
    if (o->flags & LC_BIND_KEEPS_NEEDED)
        return "the order of initialisation depends on them";
    return "it was opened by itself, or what came with it is not known";
}
