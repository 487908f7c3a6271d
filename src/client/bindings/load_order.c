/* SPDX-License-Identifier: MIT */
/* load_order.c - whose finalisation order does not depend on being opened by itself? Freestanding.
 */
#include "client/bindings/load_order.h"

#include "image/bytes.h"
#include "image/hash.h"
#include "node/elf_object.h"
#include "node/symbol.h"

enum { EARLIER_MAX = 64 };

/* Names of objects loaded before the group, as far as new objects behind the current one need them.
 */
struct earlier_names {
    uint64_t hash[EARLIER_MAX];
    uint32_t count;
};

/* True if an object behind the current one needs it too, so that the search has visited it already;
 * else it is added. */
static bool earlier_name_is_visited(struct earlier_names *earlier, const char *needed)
{
    uint64_t hash = lc_hash(needed, lc_bytes_length(needed));

    for (uint32_t i = 0; i < earlier->count; i++)
        if (earlier->hash[i] == hash)
            return true;
    if (earlier->count < EARLIER_MAX)
        earlier->hash[earlier->count++] = hash;
    return false;
}

static uint16_t recorded_flags(const struct lc_group_writer *w, const struct lc_new_object *p)
{
    return w->recorded->object[p->object].flags;
}

/* Nothing of it is left to ld.so, and it has no filters: ld.so adds no dependency to it. */
static bool object_is_final(const struct lc_group_writer *w, const struct lc_new_object *p)
{
    if (!p->plan || p->plan->leftovers || (recorded_flags(w, p) & LC_BIND_CALLS_DLSYM))
        return false;
    for (const ElfW(Dyn) *d = p->map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_AUXILIARY || d->d_tag == DT_FILTER)
            return false;
    return true;
}

/* May ld.so add a dependency on an object that this one does not name in DT_NEEDED, perhaps on one
 * loaded before it? It does so for symbols that it looks up itself, now or in a later dlsym. */
static bool object_may_look_up(const struct lc_group_writer *w, const struct lc_new_object *p)
{
    if (!p->plan || (recorded_flags(w, p) & LC_BIND_CALLS_DLSYM))
        return true;
    for (uint32_t i = 0; i < p->plan->leftovers; i++)
        if (ELF64_R_SYM(lc_elf_object_row(&p->elf, p->parts.leftover[i])->r_info))
            return true;
    return false;
}

/* ld.so itself is reported before all other objects although it is sorted behind them. It needs
 * nothing, so it does not matter to the search. */
static bool is_dynamic_linker(const struct lc_new_object *p)
{
    return lc_is_c_library(p->map) && lc_symbol_address(p->map, "__tls_get_addr");
}

/* To be called from the last object to the first. *lowest is the first object that this one or one
 * behind it needs. */
static bool object_has_fixed_order(const struct lc_group_writer *w, uint32_t i,
                                   struct earlier_names *earlier, uint32_t *lowest,
                                   const struct lc_place_lookup *lookup)
{
    const struct lc_elf_object *elf = &w->object[i].elf;
    bool all_visited = true;

    if (elf->needed && !elf->strings)
        *lowest = 0; /* its names cannot be read: it may need anything */
    for (const ElfW(Dyn) *d = elf->needed; elf->strings && d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag != DT_NEEDED)
            continue;
        const char *needed = elf->strings + d->d_un.d_val;
        uint32_t place = lookup->place(lookup->names, needed);
        if (place == LC_NONE)
            all_visited &= earlier_name_is_visited(earlier, needed);
        else if (place < *lowest && !is_dynamic_linker(&w->object[place]))
            *lowest = place;
    }
    return all_visited && *lowest > i;
}

/* ld.so adds no dependencies to objects that come with the program's start. */
void lc_load_order_mark(struct lc_group_writer *w, const struct lc_place_lookup *lookup)
{
    struct earlier_names earlier = {.count = 0};
    bool is_start = !w->call.is_known;
    uint32_t lowest = is_start || lc_group_writer_others_are_bound(w) ? UINT32_MAX : 0;

    for (uint32_t i = w->objects; i-- > 0;) {
        if (!is_start && object_may_look_up(w, &w->object[i]))
            lowest = 0;
        w->object[i].has_fixed_order = object_has_fixed_order(w, i, &earlier, &lowest, lookup);
    }
}

bool lc_load_order_is_final(const struct lc_group_writer *w)
{
    if (!w->call.is_known || !w->call.opening.return_slot || !lc_group_writer_others_are_bound(w))
        return false;
    for (uint32_t i = 0; i < w->objects; i++)
        if (!object_is_final(w, &w->object[i]))
            return false;
    return true;
}
