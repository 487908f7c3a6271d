/* SPDX-License-Identifier: MIT */
/* dynamic_tags.h - read a loaded object's dynamic section. Freestanding. */
#ifndef LC_NODE_DYNAMIC_TAGS_H
#define LC_NODE_DYNAMIC_TAGS_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* The address that an entry holds. ld.so has added the load address in most objects, but not in
 * all. */
static inline const void *lc_tag_address(const struct link_map *map, uintptr_t value)
{
    return (const void *)(value < map->l_addr ? value + map->l_addr : value);
}

/* The string that a tag refers to, or NULL. */
static inline const char *lc_tag_text(const struct link_map *map, ElfW(Sxword) tag)
{
    const char *strings = NULL;
    uintptr_t offset = 0;

    for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_STRTAB)
            strings = lc_tag_address(map, d->d_un.d_ptr);
        else if (d->d_tag == tag)
            offset = d->d_un.d_val;
    }
    return strings && offset ? strings + offset : NULL;
}

#endif
