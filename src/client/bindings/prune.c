/* SPDX-License-Identifier: MIT */
/* prune.c - names in DT_NEEDED that ld.so need not read. Freestanding.
 *
 * What is lost with an edge is only its place in the list by which ld.so sorts for initialisation,
 * finalisation and unloading. For the first two 'record' has shown that nothing changes, unless
 * something comes later that relies on the object; for all three the preload can mend it. Only of
 * objects whose list, short or whole, leads the sort nowhere new: see straight.h. */
#include "client/bindings/prune.h"

#include "client/bindings/dlopens.h"
#include "client/bindings/straight.h"
#include "image/bytes.h"
#include "node/glibc_versions.h"
#include "node/loaded_objects.h"
#include "node/symbol.h"

enum { SLOTS = 4 * LC_OBJECTS_MAX, BRINGERS = 16 };

/* A name by which ld.so knows an object of a pruned group. */
struct name {
    uint64_t hash;
    uint32_t group;  /* number of the group; 0: a free slot */
    uint32_t object; /* pending, and whether it keeps its own edges in the top bit */
};

#define KEEPS 0x80000000u

static struct name name[SLOTS];
static uint32_t names, groups, least = UINT32_MAX;
static bool is_new_sort; /* glibc from 2.35 on */
static struct lc_pruned pruned[LC_OBJECTS_MAX];

void lc_prune_begin(uint32_t from)
{
    least = from;
}

uint32_t lc_prune_least(void)
{
    return is_new_sort && lc_glibc_is_tested(LC_GLIBC_NEEDED) ? least : UINT32_MAX;
}

static struct name *slot_of(uint64_t hash)
{
    uint32_t at = (uint32_t)hash % SLOTS;

    while (name[at].group && name[at].hash != hash)
        at = (at + 1) % SLOTS;
    return &name[at];
}

static void add_name(uint64_t hash, uint32_t object)
{
    struct name *n = slot_of(hash);

    names += n->group == 0;
    *n = (struct name){hash, groups, object};
}

static uint64_t hash_of(const char *text)
{
    return lc_hash(text, lc_bytes_length(text));
}

static bool keeps(const struct lc_apply *a, const struct lc_pending *p)
{
    return p->object >= a->b.head->objects || !lc_bindings_may_prune(&a->b.object[p->object]) ||
           !p->plan || p->bound.odd || lc_dlopens_is_libc(p->map);
}

/* The first of the pending is the root. */
static void add_names(const struct lc_apply *a)
{
    groups++;
    for (uint32_t i = 0; i < a->pendings; i++) {
        const struct lc_pending *p = &a->pending[i];
        uint32_t object = i | (keeps(a, p) ? KEEPS : 0);
        if (i > 0)
            add_name(p->asked, object);
        if (p->bound.soname && p->bound.strings)
            add_name(hash_of(p->bound.strings + p->bound.soname->d_un.d_val), object);
    }
}

/* Which object of this very group has the name? LC_NONE: it was there before. */
static uint32_t place_of(const char *needed)
{
    const struct name *n = slot_of(hash_of(needed));

    return n->group == groups ? n->object & ~KEEPS : LC_NONE;
}

static bool comes_later(const char *needed, uint32_t than)
{
    uint32_t place = place_of(needed);

    return place != LC_NONE && place > than;
}

/* Note the dlopen that brings the group; NULL: its return could not be told. */
static struct lc_bringer *add_bringer(const struct lc_dlopen *call)
{
    static struct lc_bringer bringer[BRINGERS];
    static uint32_t bringers;

    if (!call->slot || bringers == BRINGERS)
        return NULL;
    bringer[bringers] = (struct lc_bringer){call->thread, call->slot, call->caller, 0};
    return &bringer[bringers++];
}

static uint32_t hide(struct lc_pending *p, uint32_t number)
{
    uint32_t hidden = 0;

    for (ElfW(Dyn) *d = p->bound.needed; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && comes_later(p->bound.strings + d->d_un.d_val, number)) {
            d->d_tag = LC_HIDDEN_TAG;
            hidden++;
        }
    p->is_pruned = hidden;
    return hidden;
}

void lc_prune_restore(struct lc_pending *p)
{
    for (ElfW(Dyn) *d = p->bound.needed; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == LC_HIDDEN_TAG)
            d->d_tag = DT_NEEDED;
    lc_hub_restore(p);
    p->is_pruned = false;
}

/* ld.so reads what the objects need in the order they came; LC_NONE: where it is is not known. */
static uint32_t find_walker(const struct lc_apply *a, uintptr_t walker)
{
    for (uint32_t i = 0; i < a->pendings; i++)
        if (a->pending[i].cookie == walker)
            return i;
    return LC_NONE;
}

/* Other threads read the list without a lock: it is complete before it is longer. */
static void add_pruned(struct lc_notes *notes, const struct lc_pending *p,
                       const struct link_map *root, struct lc_bringer *by)
{
    pruned[notes->pruneds] =
        (struct lc_pruned){.map = p->map, .root = root, .by = by, .name = hash_of(p->map->l_name)};
    __atomic_store_n(&notes->pruneds, notes->pruneds + 1, __ATOMIC_RELEASE);
}

uint32_t lc_prune_group(struct lc_apply *a, struct lc_notes *notes, const struct lc_hub_case *c,
                        uintptr_t cookie)
{
    uint32_t walker = find_walker(a, cookie), hidden = 0;

    if (a->pendings < lc_prune_least() || !notes || walker == LC_NONE ||
        names + 2 * a->pendings > SLOTS / 2 || notes->pruneds + a->pendings > LC_OBJECTS_MAX)
        return 0;
    add_names(a);
    notes->pruned = pruned;
    lc_straight_mark(a, c, place_of);
    struct lc_bringer *by = lc_straight_is_final(a, c) ? add_bringer(c->call) : NULL;
    for (uint32_t i = walker + 1; i < a->pendings; i++) {
        struct lc_pending *p = &a->pending[i];
        if (!p->is_straight || keeps(a, p) || !p->bound.strings)
            continue;
        hidden += hide(p, i);
        if (p->is_pruned)
            add_pruned(notes, p, a->pending[0].map, by);
    }
    return hidden;
}

/* Of the names that came with glibc 2.35, one stands in ld.so. */
static void look_at_loader(const struct link_map *map)
{
    static bool is_known;

    if (is_known || !lc_dlopens_is_libc(map) || !lc_symbol_address(map, "__tls_get_addr"))
        return;
    is_known = true;
    is_new_sort = lc_symbol_address(map, "__rseq_size");
}

void lc_prune_opened(const struct link_map *map, struct lc_notes *notes)
{
    const char *strings = NULL;

    if (least == UINT32_MAX)
        return;
    look_at_loader(map);
    if (!notes || !notes->pruneds)
        return;
    for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB && d->d_un.d_ptr >= map->l_addr)
            strings = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = map->l_ld; strings && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED) {
            const struct name *n = slot_of(hash_of(strings + d->d_un.d_val));
            if (n->group && !(n->object & KEEPS))
                notes->is_relied_on = 1;
        }
}

void lc_prune_closed(const struct link_map *map, struct lc_notes *notes)
{
    for (uint32_t i = 0; notes && i < notes->pruneds; i++)
        if (pruned[i].map == map)
            __atomic_store_n(&pruned[i].map, NULL, __ATOMIC_RELEASE);
}
