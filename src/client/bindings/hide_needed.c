/* SPDX-License-Identifier: MIT */
/* hide_needed.c - hide DT_NEEDED entries that ld.so need not read. Freestanding. */
#include "client/bindings/hide_needed.h"

#include "client/bindings/dependency_root.h"
#include "client/bindings/load_order.h"
#include "image/bytes.h"
#include "node/glibc_versions.h"
#include "node/symbol.h"

uint32_t lc_hide_needed_least(const struct lc_hide_needed *h)
{
    return h->is_new_sort && lc_glibc_is_tested(LC_GLIBC_NEEDED) ? h->least : UINT32_MAX;
}

/* The name's slot, or a free one. The table is never more than half full. */
static uint32_t name_slot(const struct lc_hide_needed *h, uint64_t hash)
{
    uint32_t at = (uint32_t)hash % LC_HIDE_NAMES;

    while (h->name[at].group && h->name[at].hash != hash)
        at = (at + 1) % LC_HIDE_NAMES;
    return at;
}

static void name_add(struct lc_hide_needed *h, uint64_t hash, uint32_t place, bool keeps_all)
{
    struct lc_group_name *n = &h->name[name_slot(h, hash)];

    h->names += n->group == 0;
    *n = (struct lc_group_name){hash, h->groups, place, keeps_all};
}

/* Must all entries of this object stay visible? */
static bool object_keeps_all(const struct lc_group_writer *w, const struct lc_new_object *p)
{
    const struct lc_bindings *recorded = w->recorded;

    return p->object >= recorded->head->objects ||
           !lc_bindings_may_prune(&recorded->object[p->object]) || !p->plan || p->elf.unsupported ||
           lc_is_c_library(p->map);
}

/* The first of the new objects is the group's root, which nobody needs by the name dlopen was
 * given.
 */
static void group_names_add(struct lc_hide_needed *h, const struct lc_group_writer *w)
{
    h->groups++;
    for (uint32_t i = 0; i < w->objects; i++) {
        const struct lc_new_object *p = &w->object[i];
        bool keeps_all = object_keeps_all(w, p);
        if (i > 0)
            name_add(h, p->asked_name, i, keeps_all);
        if (p->elf.soname && p->elf.strings)
            name_add(h, lc_bytes_text_hash(p->elf.strings + p->elf.soname->d_un.d_val), i,
                     keeps_all);
    }
}

/* Which object of the current group has the name? LC_NONE: it was loaded before the group. */
static uint32_t name_place(const void *hide_needed, const char *needed)
{
    const struct lc_hide_needed *h = hide_needed;
    const struct lc_group_name *n = &h->name[name_slot(h, lc_bytes_text_hash(needed))];

    return n->group == h->groups ? n->place : LC_NONE;
}

/* Note the dlopen that loads the group; NULL if one could not tell when it returns. */
static struct lc_group_opening *opening_add(struct lc_hide_needed *h,
                                            const struct lc_dlopen_call *call)
{
    if (!call->opening.return_slot || h->openings == LC_HIDE_OPENINGS)
        return NULL;
    h->opening[h->openings] = (struct lc_group_opening){call->opening, 0};
    return &h->opening[h->openings++];
}

/* Hide the entries of new object 'i' that name objects behind it. */
static uint32_t object_hide(const struct lc_hide_needed *h, struct lc_new_object *p, uint32_t i)
{
    uint32_t hidden = 0;

    for (ElfW(Dyn) *d = p->elf.needed; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag != DT_NEEDED)
            continue;
        uint32_t place = name_place(h, p->elf.strings + d->d_un.d_val);
        if (place == LC_NONE || place <= i)
            continue;
        d->d_tag = LC_HIDDEN_TAG;
        hidden++;
    }
    p->has_hidden_needed = hidden;
    return hidden;
}

void lc_hide_needed_restore(struct lc_new_object *p)
{
    for (ElfW(Dyn) *d = p->elf.needed; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == LC_HIDDEN_TAG)
            d->d_tag = DT_NEEDED;
    lc_dependency_root_restore(p);
    p->has_hidden_needed = false;
}

/* ld.so reads the DT_NEEDED entries of the objects in the order they were loaded. LC_NONE: where it
 * is now cannot be told. */
static uint32_t object_by_cookie(const struct lc_group_writer *w, uintptr_t cookie)
{
    for (uint32_t i = 0; i < w->objects; i++)
        if (w->object[i].cookie == cookie)
            return i;
    return LC_NONE;
}

/* Other threads read the list without a lock, so the new item is complete before it is counted. */
static void partial_add(struct lc_hide_needed *h, struct lc_dlopen_notes *notes,
                        const struct link_map *map, const struct link_map *root,
                        struct lc_group_opening *opening)
{
    h->partial[notes->partials] = (struct lc_partial_object){
        .map = map, .root = root, .opening = opening, .path = lc_bytes_text_hash(map->l_name)};
    __atomic_store_n(&notes->partials, notes->partials + 1, __ATOMIC_RELEASE);
}

uint32_t lc_hide_needed_group(struct lc_hide_needed *h, struct lc_group_writer *w,
                              struct lc_dlopen_notes *notes, uintptr_t reading)
{
    const struct lc_place_lookup lookup = {name_place, h};
    uint32_t read = object_by_cookie(w, reading), hidden = 0;

    if (w->objects < lc_hide_needed_least(h) || !notes || read == LC_NONE ||
        h->names + 2 * w->objects > LC_HIDE_NAMES / 2 ||
        notes->partials + w->objects > LC_OBJECTS_MAX)
        return 0;
    group_names_add(h, w);
    notes->partial = h->partial;
    lc_load_order_mark(w, &lookup);
    struct lc_group_opening *opening = lc_load_order_is_final(w) ? opening_add(h, &w->call) : NULL;
    for (uint32_t i = read + 1; i < w->objects; i++) {
        struct lc_new_object *p = &w->object[i];
        if (!p->has_fixed_order || object_keeps_all(w, p) || !p->elf.strings)
            continue;
        hidden += object_hide(h, p, i);
        if (p->has_hidden_needed)
            partial_add(h, notes, p->map, w->object[0].map, opening);
    }
    return hidden;
}

/* ld.so exports __rseq_size since glibc 2.35, whose sort is the one that was studied. */
static void sort_detect(struct lc_hide_needed *h, const struct link_map *map)
{
    if (h->is_version_known || !lc_is_c_library(map) || !lc_symbol_address(map, "__tls_get_addr"))
        return;
    h->is_version_known = true;
    h->is_new_sort = lc_symbol_address(map, "__rseq_size");
}

void lc_hide_needed_opened(struct lc_hide_needed *h, const struct link_map *map,
                           struct lc_dlopen_notes *notes)
{
    const char *strings = NULL;

    if (h->least == UINT32_MAX)
        return;
    sort_detect(h, map);
    if (!notes || !notes->partials)
        return;
    for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB && d->d_un.d_ptr >= map->l_addr)
            strings = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = map->l_ld; strings && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED) {
            const struct lc_group_name *n =
                &h->name[name_slot(h, lc_bytes_text_hash(strings + d->d_un.d_val))];
            if (n->group && !n->keeps_all)
                notes->completes_at_exit = 1;
        }
}

void lc_hide_needed_closed(struct lc_hide_needed *h, const struct link_map *map,
                           struct lc_dlopen_notes *notes)
{
    for (uint32_t i = 0; notes && i < notes->partials; i++)
        if (h->partial[i].map == map)
            __atomic_store_n(&h->partial[i].map, NULL, __ATOMIC_RELEASE);
}
