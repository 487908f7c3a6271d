/* SPDX-License-Identifier: MIT */
/* symbol.c - look up a symbol in one loaded object. Freestanding. */
#include "node/symbol.h"

#include <elf.h>
#include <stddef.h>

#include "image/bytes.h"
#include "node/dynamic_tags.h"

enum { VERSION_GLOBAL = 1, VERSION_HIDDEN = 0x8000 };

struct symbol_tables {
    const ElfW(Sym) * symbol;
    const char *string;
    const uint32_t *gnu_hash;
    const uint32_t *sysv_hash;
    const uint16_t *version;
};

static struct symbol_tables tables_read(const struct link_map *map)
{
    struct symbol_tables t = {0};

    for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
        const void *at = lc_tag_address(map, d->d_un.d_ptr);
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

/* The best definition found so far. */
struct best {
    enum { NOT_DEFINED, OTHER_VERSION, DEFAULT_VERSION } rank;
    uint32_t index;
};

static void best_consider(struct best *best, const struct symbol_tables *t, uint32_t i,
                          const char *name)
{
    const ElfW(Sym) *s = &t->symbol[i];
    int type = ELF64_ST_TYPE(s->st_info);

    if (s->st_shndx == SHN_UNDEF ||
        (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_OBJECT) ||
        !lc_bytes_same(t->string + s->st_name, name))
        return;
    int rank = t->version && (t->version[i] & VERSION_HIDDEN) ? OTHER_VERSION : DEFAULT_VERSION;
    if (rank > (int)best->rank)
        *best = (struct best){rank, i};
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

static void find_by_gnu_hash(struct best *best, const struct symbol_tables *t, const char *name)
{
    uint32_t buckets = t->gnu_hash[0], first = t->gnu_hash[1], words = t->gnu_hash[2];
    const uint32_t *bucket = t->gnu_hash + 4 + words * (sizeof(ElfW(Addr)) / 4);
    const uint32_t *chain = bucket + buckets;
    uint32_t h = gnu_hash(name);

    if (!buckets)
        return;
    for (uint32_t i = bucket[h % buckets]; i >= first; i++) {
        if ((chain[i - first] | 1) == (h | 1))
            best_consider(best, t, i, name);
        if (chain[i - first] & 1)
            break;
    }
}

static void find_by_sysv_hash(struct best *best, const struct symbol_tables *t, const char *name)
{
    uint32_t buckets = t->sysv_hash[0];
    const uint32_t *bucket = t->sysv_hash + 2, *chain = bucket + buckets;

    for (uint32_t i = buckets ? bucket[sysv_hash(name) % buckets] : 0; i; i = chain[i])
        best_consider(best, t, i, name);
}

bool lc_symbol_find(const struct link_map *map, const char *name, struct lc_symbol *out)
{
    struct symbol_tables t = tables_read(map);
    struct best best = {NOT_DEFINED, 0};

    if (!t.symbol || !t.string)
        return false;
    if (t.gnu_hash)
        find_by_gnu_hash(&best, &t, name);
    else if (t.sysv_hash)
        find_by_sysv_hash(&best, &t, name);
    if (best.rank == NOT_DEFINED)
        return false;
    out->entry = &t.symbol[best.index];
    out->version = t.version ? t.version[best.index] : VERSION_GLOBAL;
    return true;
}

void *lc_symbol_address(const struct link_map *map, const char *name)
{
    struct lc_symbol s;

    return lc_symbol_find(map, name, &s) ? (void *)(map->l_addr + s.entry->st_value) : NULL;
}
