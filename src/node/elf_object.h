/* SPDX-License-Identifier: MIT */
/* elf_object.h - what a loaded object says of itself: relocations, segments, fingerprint.
 * Freestanding.
 */
#ifndef LC_NODE_ELF_OBJECT_H
#define LC_NODE_ELF_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LC_SEGMENTS = 4, LC_DYNAMIC_MOST = 16384 /* entries of .dynamic */ };

struct lc_segment {
    uintptr_t start, end;
};

struct lc_bound {
    uintptr_t base;   /* l_addr */
    uint64_t dynamic; /* XXH64 of .dynamic, wherever the object is loaded */
    uint64_t build;   /* XXH64 of its build-id; 0: it has none */
    uintptr_t extent; /* bytes from base to the end of its last segment */
    ElfW(Dyn) * rela, *relasz, *relacount, *pltrelsz; /* in .dynamic; NULL: not there */
    const ElfW(Rela) * table, *plt;
    const char *strings; /* DT_STRTAB */
    ElfW(Dyn) * needed;  /* the first DT_NEEDED; NULL: none */
    const ElfW(Dyn) * soname;
    uint32_t table_count, plt_count;
    uint32_t relative; /* this many of 'table' are RELATIVE, at its start */
    uint32_t writables;
    struct lc_segment writable[LC_SEGMENTS];
    const char *odd; /* why its relocations cannot be replaced; NULL: they can */
};

/* Where the program headers of the program itself are (AT_PHDR); others are found by themselves. */
struct lc_headers {
    const ElfW(Phdr) * header;
    size_t count;
};

/* Those of a library; false if they are not where they should be. */
bool lc_bound_headers(const struct link_map *map, struct lc_headers *out);

/* Read all of it. False if the object is too strange to be told from others. */
bool lc_bound_read(struct lc_bound *o, const struct link_map *map,
                   const struct lc_headers *program);

/* One step of the hash over .dynamic: shared with those who read it from a file. 'value' as in the
 * file. */
static inline uint64_t lc_bound_mix(uint64_t hash, uint64_t tag, uint64_t value)
{
    hash = (hash ^ tag) * 0x9e3779b97f4a7c15u;
    hash = ((hash ^ hash >> 29) + value) * 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 32;
}

/* Does the object's .dynamic entry count? What ld.so fills in does not. */
static inline bool lc_bound_counts(int64_t tag)
{
    return tag != DT_NULL && tag != DT_DEBUG;
}

/* Row i of both tables: first DT_RELA's, then DT_JMPREL's. */
static inline const ElfW(Rela) * lc_bound_row(const struct lc_bound *o, uint32_t i)
{
    return i < o->table_count ? &o->table[i] : &o->plt[i - o->table_count];
}

/* Do 'len' bytes at an offset from the base lie in one writable segment? */
bool lc_bound_may_write(const struct lc_bound *o, uint64_t offset, size_t len);

#endif
