/* SPDX-License-Identifier: MIT */
/* next.c - find the next definition of a name, from ld.so's own list of objects */
#include "client/preload/next.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/preload/libc.h"
#include "node/glibc_versions.h"
#include "node/symbol.h"

extern struct r_debug _r_debug __attribute__((weak));
extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

static long function_missing(void)
{
    lc_set_errno(38 /* ENOSYS */);
    return -1;
}

void *lc_definition_in(const struct link_map *map, const char *name)
{
    struct lc_symbol found;

    if (!lc_symbol_find(map, name, &found))
        return NULL;
    const ElfW(Sym) *s = found.entry;
    if (!s->st_value || s->st_shndx >= SHN_LORESERVE || found.version != 1 ||
        ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC ||
        ELF64_ST_VISIBILITY(s->st_other) != STV_DEFAULT ||
        (ELF64_ST_BIND(s->st_info) != STB_GLOBAL && ELF64_ST_BIND(s->st_info) != STB_WEAK))
        return NULL;
    return (void *)(map->l_addr + s->st_value);
}

static void *definition_find(const struct link_map *map, const char *name)
{
    struct lc_symbol found;

    if (!lc_symbol_find(map, name, &found))
        return NULL;
    void *at = (void *)(map->l_addr + found.entry->st_value);
    if (ELF64_ST_TYPE(found.entry->st_info) == STT_GNU_IFUNC)
        at = ((void *(*)(void))at)();
    return at;
}

void *lc_definition_behind(const struct link_map *map, const char *name)
{
    void *at = NULL;

    for (map = map->l_next; map && !at; map = map->l_next)
        at = definition_find(map, name);
    return at;
}

void *lc_definition_of_libc(const char *name)
{
    void *at = NULL;

    for (const struct link_map *map = &_r_debug ? _r_debug.r_map : NULL; map && !at;
         map = map->l_next)
        if (lc_glibc_is_called(map, "libc.so.") || lc_glibc_is_called(map, "libdl.so."))
            at = definition_find(map, name);
    return at;
}

static const struct link_map *our_map(void)
{
    const struct link_map *map = &_r_debug ? _r_debug.r_map : NULL;

    while (map && map->l_ld != _DYNAMIC)
        map = map->l_next;
    return map;
}

void *lc_next_or_null(const char *name)
{
    const struct link_map *map = our_map();

    return map ? lc_definition_behind(map, name) : NULL;
}

void *lc_definition_of_ours(const char *name)
{
    const struct link_map *map = our_map();

    return map ? definition_find(map, name) : NULL;
}

bool lc_is_program(const void *handle)
{
    return handle && &_r_debug && handle == _r_debug.r_map;
}

void *lc_next(const char *name)
{
    void *at = lc_next_or_null(name);

    if (!at)
        at = lc_nonshared(name);
    return at ? at : (void *)function_missing;
}

void *lc_next_to_jump(const char *name, void **known, void *none)
{
    void *now = __atomic_load_n(known, __ATOMIC_RELAXED);

    if (!now) {
        now = lc_next_or_null(name);
        __atomic_store_n(known, now, __ATOMIC_RELAXED);
    }
    return now ? now : none;
}

void *lc_program_symbol(const char *name)
{
    void *at = NULL;

    for (const struct link_map *map = &_r_debug ? _r_debug.r_map : NULL; map && !at;
         map = map->l_next)
        at = definition_find(map, name);
    return at;
}
