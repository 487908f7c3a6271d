/* SPDX-License-Identifier: MIT */
/* next.c - find the next definition of a name, from ld.so's own list of objects */
#include "client/preload/next.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "client/preload/libc.h"
#include "client/preload/nonshared.h"
#include "image/bytes.h"

extern struct r_debug _r_debug __attribute__((weak));
extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

/* An object's tables. */
struct tables {
    const ElfW(Sym) * symbol;
    const char *string;
    const uint32_t *gnu_hash;
    const uint32_t *sysv_hash;
    const uint16_t *version;
};

static long missing(void)
{
    lc_set_errno(38 /* ENOSYS */);
    return -1;
}

/* ld.so turns these into addresses, but not for every object (the kernel's own is read-only). */
static const void *address(const struct link_map *map, uintptr_t value)
{
    return (const void *)(value < map->l_addr ? value + map->l_addr : value);
}

static struct tables read_tables(const struct link_map *map)
{
    struct tables t = {0};

    for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
        const void *at = address(map, d->d_un.d_ptr);
        if (d->d_tag == DT_SYMTAB)
            t.symbol = at;
        else if (d->d_tag == DT_STRTAB)
            t.string = at;
        else if (d->d_tag == DT_GNU_HASH)
            t.gnu_hash = at;
        else if (d->d_tag == DT_HASH)
            t.sysv_hash = at;
        else if (d->d_tag == DT_VERSYM)
            t.version = at;
    }
    return t;
}

enum { NOT_HERE, HIDDEN, DEFAULT };

/* Is symbol i a definition of 'name', and of its default version? */
static int judge(const struct tables *t, uint32_t i, const char *name)
{
    const ElfW(Sym) *s = &t->symbol[i];
    int type = ELF64_ST_TYPE(s->st_info);

    if (s->st_shndx == SHN_UNDEF ||
        (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_OBJECT) ||
        !lc_bytes_same(t->string + s->st_name, name))
        return NOT_HERE;
    return t->version && (t->version[i] & 0x8000) ? HIDDEN : DEFAULT;
}

static uint32_t gnu_hash(const char *name)
{
    uint32_t h = 5381;

    for (; *name; name++)
        h = h * 33 + (unsigned char)*name;
    return h;
}

static uint32_t sysv_hash(const char *name)
{
    uint32_t h = 0, g;

    for (; *name; name++) {
        h = (h << 4) + (unsigned char)*name;
        if ((g = h & 0xf0000000))
            h ^= g >> 24;
        h &= ~g;
    }
    return h;
}

/* Index of the best definition in one object, or 0. */
static uint32_t find_gnu(const struct tables *t, const char *name, int *rank)
{
    uint32_t buckets = t->gnu_hash[0], first = t->gnu_hash[1], words = t->gnu_hash[2];
    const uint32_t *bucket = t->gnu_hash + 4 + words * (sizeof(ElfW(Addr)) / 4);
    const uint32_t *chain = bucket + buckets;
    uint32_t h = gnu_hash(name), found = 0;

    if (!buckets)
        return 0;
    for (uint32_t i = bucket[h % buckets]; i >= first; i++) {
        int r = (chain[i - first] | 1) == (h | 1) ? judge(t, i, name) : NOT_HERE;
        if (r > *rank) {
            *rank = r;
            found = i;
        }
        if (chain[i - first] & 1)
            break;
    }
    return found;
}

static uint32_t find_sysv(const struct tables *t, const char *name, int *rank)
{
    uint32_t buckets = t->sysv_hash[0], found = 0;
    const uint32_t *bucket = t->sysv_hash + 2, *chain = bucket + buckets;

    for (uint32_t i = buckets ? bucket[sysv_hash(name) % buckets] : 0; i; i = chain[i]) {
        int r = judge(t, i, name);
        if (r > *rank) {
            *rank = r;
            found = i;
        }
    }
    return found;
}

static uint32_t find(const struct tables *t, const char *name)
{
    int rank = NOT_HERE;

    if (t->symbol && t->string && t->gnu_hash)
        return find_gnu(t, name, &rank);
    return t->symbol && t->string && t->sysv_hash ? find_sysv(t, name, &rank) : 0;
}

void *lc_definition_in(const struct link_map *map, const char *name)
{
    struct tables t = read_tables(map);
    uint32_t i = find(&t, name);
    const ElfW(Sym) *s = i ? &t.symbol[i] : NULL;

    if (!s || !s->st_value || s->st_shndx >= SHN_LORESERVE || (t.version && t.version[i] != 1) ||
        ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC ||
        ELF64_ST_VISIBILITY(s->st_other) != STV_DEFAULT ||
        (ELF64_ST_BIND(s->st_info) != STB_GLOBAL && ELF64_ST_BIND(s->st_info) != STB_WEAK))
        return NULL;
    return (void *)(map->l_addr + s->st_value);
}

static void *definition(const struct link_map *map, const char *name)
{
    struct tables t = read_tables(map);
    uint32_t i = find(&t, name);

    if (!i)
        return NULL;
    void *at = (void *)(map->l_addr + t.symbol[i].st_value);
    if (ELF64_ST_TYPE(t.symbol[i].st_info) == STT_GNU_IFUNC)
        at = ((void *(*)(void))at)();
    return at;
}

void *lc_next_or_null(const char *name)
{
    const struct link_map *map = &_r_debug ? _r_debug.r_map : NULL;

    while (map && map->l_ld != _DYNAMIC)
        map = map->l_next;
    for (map = map ? map->l_next : NULL; map; map = map->l_next) {
        void *at = definition(map, name);
        if (at)
            return at;
    }
    return NULL;
}

void *lc_next(const char *name)
{
    void *at = lc_next_or_null(name);

    if (!at)
        at = lc_nonshared(name);
    return at ? at : (void *)missing;
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

void *lc_symbol(const char *name)
{
    void *at = NULL;

    for (const struct link_map *map = &_r_debug ? _r_debug.r_map : NULL; map && !at;
         map = map->l_next)
        at = definition(map, name);
    return at;
}
