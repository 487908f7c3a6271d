/* SPDX-License-Identifier: MIT */
/* loaded_objects.c - the loaded objects, and whose DT_RPATH ld.so searches. Freestanding.
 *
 * glibc (elf/dl-load.c): unless the object that needs a library has DT_RUNPATH, ld.so searches the
 * DT_RPATHs of the object, of its loader, of that one's loader and so on, and finally the
 * program's. */
#include "node/loaded_objects.h"

#include "image/bytes.h"
#include "image/hash.h"

static void read_tags(struct lc_object *object, const struct link_map *map)
{
    bool rpath = false;

    for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
        rpath |= d->d_tag == DT_RPATH;
        object->has_runpath |= d->d_tag == DT_RUNPATH;
    }
    object->has_rpath = rpath && !object->has_runpath;
}

struct lc_object *lc_objects_get(struct lc_objects *all, uintptr_t cookie)
{
    if (cookie == 0 || cookie > all->count || !all->item[cookie - 1].path)
        return NULL;
    return &all->item[cookie - 1];
}

uintptr_t lc_objects_add(struct lc_objects *all, const struct link_map *map, const char *path,
                         uintptr_t loader)
{
    if (all->count == LC_OBJECTS_MAX)
        return 0;
    struct lc_object *object = &all->item[all->count++];
    object->path = path;
    object->map = map;
    object->loader = lc_objects_get(all, loader);
    read_tags(object, map);
    return all->count;
}

void lc_objects_remove(struct lc_objects *all, uintptr_t cookie)
{
    struct lc_object *object = lc_objects_get(all, cookie);

    if (object)
        object->path = NULL;
}

bool lc_objects_have(const struct lc_objects *all, const char *path)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->item[i].path && lc_bytes_same(all->item[i].path, path))
            return true;
    return false;
}

static uint64_t chain_add(uint64_t chain, const struct lc_object *object)
{
    uint64_t pair[2] = {chain, lc_hash(object->path, lc_bytes_length(object->path))};

    return lc_hash(pair, sizeof(pair));
}

uint64_t lc_objects_chain(const struct lc_objects *all, const struct lc_object *loader)
{
    uint64_t chain = 0;
    bool has_program = false;

    if (loader->has_runpath)
        return 0;
    for (const struct lc_object *o = loader; o; o = o->loader) {
        has_program |= o == all->program;
        if (o->has_rpath && o->path)
            chain = chain_add(chain, o);
    }
    if (!has_program && all->program && all->program->has_rpath)
        chain = chain_add(chain, all->program);
    return chain;
}
