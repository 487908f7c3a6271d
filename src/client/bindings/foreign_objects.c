/* SPDX-License-Identifier: MIT */
/* foreign_objects.c - objects that the recording did not see. Freestanding. */
#include "client/bindings/foreign_objects.h"

#include <linux/mman.h>

#include "image/bytes.h"
#include "node/syscall.h"

static bool table_map(struct lc_foreign_objects *all)
{
    void *at = lc_sys_mmap(LC_FOREIGN_NAMES * sizeof(*all->name), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1);

    all->name = lc_sys_is_error(at) ? NULL : at;
    return all->name;
}

/* The name's slot, or a free one. The table is never more than half full. */
static uint32_t name_slot(const struct lc_foreign_objects *all, uint64_t name)
{
    uint32_t at = (uint32_t)name % LC_FOREIGN_NAMES;

    while (all->name[at] && all->name[at] != name)
        at = (at + 1) % LC_FOREIGN_NAMES;
    return at;
}

static bool name_add(struct lc_foreign_objects *all, uint64_t name)
{
    uint32_t at = name_slot(all, name);

    if (all->name[at] == name) /* also 0, which is no name's hash but by accident */
        return true;
    if (all->names == LC_FOREIGN_NAMES / 2)
        return false;
    all->name[at] = name;
    all->names++;
    return true;
}

bool lc_foreign_objects_add(struct lc_foreign_objects *all, const struct lc_new_object *p)
{
    const struct lc_elf_object *o = &p->elf;

    all->are_loaded = true;
    if (!o->strings || (!all->name && !table_map(all)))
        return false;
    return name_add(all, p->asked_name) && name_add(all, lc_bytes_text_hash(p->map->l_name)) &&
           (!o->soname || name_add(all, lc_bytes_text_hash(o->strings + o->soname->d_un.d_val)));
}

/* ld.so replaces $ORIGIN and the like before it compares. */
static bool name_is_expanded(const char *name)
{
    for (; *name; name++)
        if (*name == '$')
            return true;
    return false;
}

static bool tag_loads_object(ElfW(Sxword) tag)
{
    return tag == DT_NEEDED || tag == DT_AUXILIARY || tag == DT_FILTER;
}

bool lc_foreign_objects_are_needed(const struct lc_foreign_objects *all,
                                   const struct lc_new_object *p)
{
    if (!all->are_loaded || !p->elf.strings)
        return all->are_loaded;
    for (const ElfW(Dyn) *d = p->map->l_ld; d && d->d_tag != DT_NULL; d++) {
        if (!tag_loads_object(d->d_tag))
            continue;
        const char *name = p->elf.strings + d->d_un.d_val;
        uint64_t hash = lc_bytes_text_hash(name);
        if (name_is_expanded(name) || all->name[name_slot(all, hash)] == hash)
            return true;
    }
    return false;
}

void lc_foreign_objects_begin(struct lc_foreign_objects *all)
{
    all->has_alias = false;
}

bool lc_foreign_objects_searched(struct lc_foreign_objects *all, uint64_t name)
{
    uint64_t before = all->searched;

    all->searched = name;
    if (before && !all->are_loaded)
        all->has_alias = true;
    return !all->are_loaded || !before || name_add(all, before);
}

void lc_foreign_objects_loaded(struct lc_foreign_objects *all)
{
    all->searched = 0;
}
