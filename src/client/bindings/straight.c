/* SPDX-License-Identifier: MIT */
/* straight.c - whose being opened by itself does not change ld.so's order? Freestanding. */
#include "client/bindings/straight.h"

#include "image/bytes.h"
#include "image/hash.h"
#include "node/elf_object.h"
#include "node/symbol.h"

enum { OUTSIDE = 64 };

/* Names of objects that were there before the group, as far as those need them that came later. */
struct outside {
    uint64_t name[OUTSIDE];
    uint32_t count;
};

static bool has(const struct outside *o, uint64_t name)
{
    for (uint32_t i = 0; i < o->count; i++)
        if (o->name[i] == name)
            return true;
    return false;
}

/* False if nobody needed it so far: the search comes to it from here. */
static bool take(struct outside *o, const char *needed)
{
    uint64_t name = lc_hash(needed, lc_bytes_length(needed));

    if (has(o, name))
        return true;
    if (o->count < OUTSIDE)
        o->name[o->count++] = name;
    return false;
}

static bool is_plain(const struct lc_apply *a, const struct lc_pending *p)
{
    if (!p->plan || p->plan->leftovers || (a->b.object[p->object].flags & LC_BIND_LOOKS))
        return false;
    for (const ElfW(Dyn) *d = p->map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_AUXILIARY || d->d_tag == DT_FILTER)
            return false;
    return true;
}

/* May ld.so note that it depends on an object it does not need by name, on one that came before it
 * even? It does so for what it looks up itself, now or in a later dlsym. */
static bool may_look(const struct lc_apply *a, const struct lc_pending *p)
{
    if (!p->plan || (a->b.object[p->object].flags & LC_BIND_LOOKS))
        return true;
    for (uint32_t i = 0; i < p->plan->leftovers; i++)
        if (ELF64_R_SYM(lc_bound_row(&p->bound, p->parts.leftover[i])->r_info))
            return true;
    return false;
}

/* ld.so itself: told of before all others, though it is sorted behind them, and leads nowhere. */
static bool is_loader(const struct lc_pending *p)
{
    return lc_dlopens_is_libc(p->map) && lc_symbol_address(p->map, "__tls_get_addr");
}

/* 'lowest' is the first object that this one or a later one names. */
static bool is_straight(const struct lc_apply *a, uint32_t i, struct outside *o, uint32_t *lowest,
                        lc_place_of *place_of)
{
    const struct lc_pending *p = &a->pending[i];
    bool is_known = true;

    if (p->bound.needed && !p->bound.strings)
        *lowest = 0; /* it may need anything */
    for (const ElfW(Dyn) *d = p->bound.needed; p->bound.strings && d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag != DT_NEEDED)
            continue;
        const char *needed = p->bound.strings + d->d_un.d_val;
        uint32_t place = place_of(needed);
        if (place == LC_NONE)
            is_known &= take(o, needed);
        else if (place < *lowest && !is_loader(&a->pending[place]))
            *lowest = place;
    }
    return is_known && *lowest > i;
}

/* Of what came with the program ld.so notes no such dependency. */
void lc_straight_mark(struct lc_apply *a, const struct lc_hub_case *c, lc_place_of *place_of)
{
    struct outside o = {.count = 0};
    bool is_start = !c->call->is_known;
    uint32_t lowest = is_start || lc_hub_are_settled(a, c) ? UINT32_MAX : 0;

    for (uint32_t i = a->pendings; i-- > 0;) {
        if (!is_start && may_look(a, &a->pending[i]))
            lowest = 0;
        a->pending[i].is_straight = is_straight(a, i, &o, &lowest, place_of);
    }
}

bool lc_straight_is_final(const struct lc_apply *a, const struct lc_hub_case *c)
{
    if (!c->call->is_known || !c->call->slot || !lc_hub_are_settled(a, c))
        return false;
    for (uint32_t i = 0; i < a->pendings; i++)
        if (!is_plain(a, &a->pending[i]))
            return false;
    return true;
}
