/* SPDX-License-Identifier: MIT */
/* bind_elf_find.c - look up symbol definitions and symbol versions in an ELF file */
#include "record/bind_elf.h"

#include <string.h>

struct lc_bind_name lc_bind_name(const char *text)
{
    struct lc_bind_name n = {text, 5381, 0};

    for (const char *p = text; *p; p++) {
        uint32_t g;
        n.gnu = n.gnu * 33 + (unsigned char)*p;
        n.sysv = (n.sysv << 4) + (unsigned char)*p;
        if ((g = n.sysv & 0xf0000000))
            n.sysv ^= g >> 24;
        n.sysv &= ~g;
    }
    return n;
}

static bool is_definition(const struct lc_bind_elf *e, uint32_t i, const char *name)
{
    const char *text;
    const Elf64_Sym *s = lc_bind_elf_symbol(e, i, &text);

    /* An undefined function with a value: a program's PLT entry, which serves as the function's
     * address in all objects. */
    return s && (s->st_shndx != SHN_UNDEF || s->st_value) && strcmp(text, name) == 0;
}

/* The Bloom filter of the GNU hash table: false if the name is certainly not in it. */
static bool bloom_may_have(const uint32_t *h, uint32_t hash)
{
    uint64_t bloom;

    if (!h[2] || (h[2] & (h[2] - 1)))
        return true;
    memcpy(&bloom, h + 4 + 2 * (size_t)(hash / 64 & (h[2] - 1)), sizeof(bloom));
    return bloom >> (hash % 64) & bloom >> ((hash >> (h[3] % 32)) % 64) & 1;
}

/* The symbol index that follows 'at' in the hash chain (0: start of the chain); 0 at its end. */
static uint32_t next_in_gnu_hash(const struct lc_bind_elf *e, const struct lc_bind_name *name,
                                 uint32_t at)
{
    const uint32_t *h = e->gnu_hash;

    if (e->gnu_words < 4 || !h[0] || 4 + (uint64_t)h[2] * 2 + h[0] > e->gnu_words)
        return 0;
    const uint32_t *bucket = h + 4 + (size_t)h[2] * 2;
    uint64_t chain = 4 + (uint64_t)h[2] * 2 + h[0];
    if (!at && (!bloom_may_have(h, name->gnu) || bucket[name->gnu % h[0]] < h[1]))
        return 0;
    for (uint32_t i = at ? at : bucket[name->gnu % h[0]];; i++) {
        uint64_t place = chain + i - h[1];
        if (place >= e->gnu_words)
            return 0;
        if (i != at && (h[place] | 1) == (name->gnu | 1))
            return i;
        if (h[place] & 1)
            return 0;
    }
}

static uint32_t next_in_sysv_hash(const struct lc_bind_elf *e, const struct lc_bind_name *name,
                                  uint32_t at)
{
    const uint32_t *h = e->sysv_hash;

    if (e->sysv_words < 2 || !h[0] || 2 + (uint64_t)h[0] + h[1] > e->sysv_words)
        return 0;
    if (at)
        return at < h[1] ? h[2 + h[0] + at] : 0;
    return h[2 + name->sysv % h[0]];
}

const Elf64_Sym *lc_bind_elf_next(const struct lc_bind_elf *e, const struct lc_bind_name *name,
                                  uint32_t *at, uint32_t *index)
{
    for (uint32_t tries = 0; tries < 1u << 20; tries++) {
        uint32_t i = e->gnu_hash    ? next_in_gnu_hash(e, name, *at)
                     : e->sysv_hash ? next_in_sysv_hash(e, name, *at)
                                    : 0;
        if (!i)
            return NULL;
        *at = i;
        if (is_definition(e, i, name->text)) {
            *index = i;
            return &e->symbol[i];
        }
    }
    return NULL;
}

/* 'at' if 'len' aligned bytes there lie within the file, else NULL. */
static const unsigned char *checked_range(const struct lc_bind_elf *e, const unsigned char *at,
                                          size_t len)
{
    return at && (uintptr_t)at % 4 == 0 && at >= e->pages.at && at <= e->pages.at + e->pages.len &&
                   len <= (size_t)(e->pages.at + e->pages.len - at)
               ? at
               : NULL;
}

static const char *string_at(const struct lc_bind_elf *e, uint32_t offset)
{
    return offset < e->strings && memchr(e->string + offset, '\0', e->strings - offset)
               ? e->string + offset
               : NULL;
}

static const char *find_needed_version(const struct lc_bind_elf *e, uint16_t number)
{
    const unsigned char *at = e->need;

    for (int n = 0; n < 1000 && checked_range(e, at, sizeof(Elf64_Verneed)); n++) {
        const Elf64_Verneed *v = (const void *)at;
        const unsigned char *aux = at + v->vn_aux;
        for (int i = 0; i < v->vn_cnt && checked_range(e, aux, sizeof(Elf64_Vernaux)); i++) {
            const Elf64_Vernaux *a = (const void *)aux;
            if (a->vna_other == number)
                return string_at(e, a->vna_name);
            aux += a->vna_next;
        }
        if (!v->vn_next)
            break;
        at += v->vn_next;
    }
    return NULL;
}

static const char *find_defined_version(const struct lc_bind_elf *e, uint16_t number)
{
    const unsigned char *at = e->def;

    for (int n = 0; n < 10000 && checked_range(e, at, sizeof(Elf64_Verdef)); n++) {
        const Elf64_Verdef *v = (const void *)at;
        const unsigned char *aux = at + v->vd_aux;
        if (v->vd_ndx == number && checked_range(e, aux, sizeof(Elf64_Verdaux)))
            return string_at(e, ((const Elf64_Verdaux *)(const void *)aux)->vda_name);
        if (!v->vd_next)
            break;
        at += v->vd_next;
    }
    return NULL;
}

const char *lc_bind_elf_version(const struct lc_bind_elf *e, uint32_t index)
{
    uint16_t number = e->version && index < e->symbols ? e->version[index] & 0x7fff : 0;

    if (number < 2)
        return NULL;
    return e->symbol[index].st_shndx == SHN_UNDEF ? find_needed_version(e, number)
                                                  : find_defined_version(e, number);
}

bool lc_bind_elf_imports(const struct lc_bind_elf *e, const char *name)
{
    for (uint32_t i = e->relative; i < e->table_count + e->plt_count; i++) {
        uint32_t index = (uint32_t)ELF64_R_SYM(lc_bind_elf_row(e, i)->r_info);
        const char *text;
        if (index && index < e->symbols && e->symbol && e->symbol[index].st_shndx == SHN_UNDEF &&
            e->symbol[index].st_name < e->strings &&
            e->string[e->symbol[index].st_name] == name[0] && lc_bind_elf_symbol(e, index, &text) &&
            strcmp(text, name) == 0)
            return true;
    }
    return false;
}
