/* SPDX-License-Identifier: MIT */
/* elf_object.h - what a loaded ELF object's headers and .dynamic tell: its relocation tables, its
 * writable segments, what it needs, and a fingerprint. Freestanding. */
#ifndef LC_NODE_ELF_OBJECT_H
#define LC_NODE_ELF_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LC_SEGMENTS = 4, LC_DYNAMIC_MOST = 16384 /* entries of .dynamic */ };

/* Offsets from the object's base. */
struct lc_segment {
    uintptr_t start, end;
};

struct lc_elf_object {
    uintptr_t base;   /* l_addr */
    uint64_t dynamic; /* XXH64 of .dynamic, the same wherever the object is loaded */
    uint64_t build;   /* XXH64 of its build-id; 0: it has none */
    uintptr_t extent; /* bytes from base to the end of its last segment */
    ElfW(Dyn) * rela, *relasz, *relacount, *pltrelsz; /* entries of .dynamic; NULL: not there */
    const ElfW(Rela) * table, *plt;                   /* DT_RELA, DT_JMPREL */
    const char *strings;                              /* DT_STRTAB */
    ElfW(Dyn) * needed;                               /* the first DT_NEEDED; NULL: none */
    const ElfW(Dyn) * soname;
    uint32_t table_count, plt_count;
    uint32_t relative; /* this many rows at the start of 'table' are RELATIVE */
    uint32_t writables;
    struct lc_segment writable[LC_SEGMENTS];
    const char *unsupported; /* why its relocations cannot be replaced; NULL: they can */
};

struct lc_program_headers {
    const ElfW(Phdr) * header;
    size_t count;
};

/* The program headers of a library; false if they are not in its first page. */
bool lc_elf_object_headers(const struct link_map *map, struct lc_program_headers *out);

/* Read all of it. 'program' has the headers of the program itself (AT_PHDR); it is NULL for a
 * library. False if the object cannot be identified. */
bool lc_elf_object_read(struct lc_elf_object *o, const struct link_map *map,
                        const struct lc_program_headers *program);

/* One step of the hash over .dynamic; 'value' as in the file. Also used where the file is read. */
static inline uint64_t lc_elf_object_hash(uint64_t hash, uint64_t tag, uint64_t value)
{
    hash = (hash ^ tag) * 0x9e3779b97f4a7c15u;
    hash = ((hash ^ hash >> 29) + value) * 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 32;
}

/* Is an entry with this tag part of the hash? DT_DEBUG is not: ld.so writes to it. */
static inline bool lc_elf_object_is_hashed(int64_t tag)
{
    return tag != DT_NULL && tag != DT_DEBUG;
}

/* Row i of both relocation tables: first those of DT_RELA, then those of DT_JMPREL. */
static inline const ElfW(Rela) * lc_elf_object_row(const struct lc_elf_object *o, uint32_t i)
{
    return i < o->table_count ? &o->table[i] : &o->plt[i - o->table_count];
}

/* Do 'len' bytes at an offset from the base lie in one writable segment? */
bool lc_elf_object_may_write(const struct lc_elf_object *o, uint64_t offset, size_t len);

#endif
