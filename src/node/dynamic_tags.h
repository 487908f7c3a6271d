/* SPDX-License-Identifier: MIT */
/* dynamic_tags.h - read a loaded object's dynamic section. Freestanding. */
#ifndef LC_NODE_DYNAMIC_TAGS_H
#define LC_NODE_DYNAMIC_TAGS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The address that an entry holds. ld.so has added the load address in most objects, but not in
 * all. One without it is small, or in the upper half, where no program has memory: there some
 * kernels link their own object (the vDSO), which they map elsewhere; the sum wraps around. */
static inline const void *lc_tag_address(const struct link_map *map, uintptr_t value)
{
    bool is_relocated = value >= map->l_addr && value <= INTPTR_MAX;

    return (const void *)(is_relocated ? value : value + map->l_addr);
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
