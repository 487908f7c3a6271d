/* SPDX-License-Identifier: MIT */
/* elf_dynamic.c - what the dynamic linker reads: symbols, their hash tables, relocations
 *
 * Numbers of buckets and the size of the Bloom filter follow GNU ld, so that a look-up costs as
 * much as in a library that ld has linked. Undefined symbols and PLT slots are ordered by hash: as
 * arbitrary as ld's order, but the same in every run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gen/elf_shared.h"

/* Computes both hashes of a name in one pass. Each is a chain of dependent steps, so that the
 * processor runs both in the time of one. */
static void name_hash(const char *name, uint32_t *gnu, uint32_t *sysv)
{
    uint32_t g = 5381, v = 0;

    for (; *name; name++) {
        g = g * 33 + (unsigned char)*name;
        v = (v << 4) + (unsigned char)*name;
        v = (v ^ ((v >> 24) & 0xf0)) & 0x0fffffff;
    }
    *gnu = g;
    *sysv = v;
}

static uint32_t buckets_for(uint32_t symbols, uint32_t least)
{
    static const uint32_t size[] = {1,    3,    17,   37,   67,    97,    131,   197,    263,   521,
                                    1031, 2053, 4099, 8209, 16411, 32771, 65537, 131101, 262147};
    uint32_t best = least;

    for (size_t i = 0; i < sizeof(size) / sizeof(*size) && size[i] <= symbols; i++)
        best = size[i] > least ? size[i] : least;
    return best;
}

/* Words of the Bloom filter: about 4 to 8 bits per symbol, a power of two. */
static uint32_t bloom_words(uint32_t symbols)
{
    unsigned log = 1;

    while (symbols >> log)
        log++;
    if (log < 3)
        log = 5;
    else
        log += (1u << (log - 2)) & symbols ? 3 : 2;
    return log < 6 ? 1 : 1u << (log - 6);
}

static unsigned bloom_shift(const struct lc_shared *s)
{
    unsigned log = 0;

    while ((1u << log) < s->gnu_words)
        log++;
    return log + 6;
}

static int keys_compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Numbers undefined symbols in the order of their hashes, then the PLT slots of called symbols in
 * the same order. */
static int number_by_hash(struct lc_shared *s)
{
    const struct lc_unit *u = s->unit;
    uint64_t *key = calloc(u->symbols + 1, sizeof(*key));
    uint32_t n = 0;

    if (!key)
        return -1;
    for (uint32_t i = 0; i < u->symbols; i++)
        key[i] = (uint64_t)s->gnu[i] << 32 | i;
    qsort(key, u->symbols, sizeof(*key), keys_compare);
    for (uint32_t i = 0; i < u->symbols; i++) {
        uint32_t symbol = (uint32_t)key[i];
        if (symbol >= u->own) {
            s->dynsym[symbol] = ++n;
            s->listed[n] = symbol;
        }
        if (u->symbol[symbol].slot != LC_NONE) {
            u->symbol[symbol].slot = s->slots;
            s->called[s->slots++] = symbol;
        }
    }
    s->undefined = n;
    free(key);
    return 0;
}

/* Sorts defined symbols by bucket of the GNU hash table (counting sort). */
static int number_by_bucket(struct lc_shared *s)
{
    uint32_t *first = calloc(s->gnu_buckets + 1, sizeof(*first));

    if (!first)
        return -1;
    for (uint32_t i = 0; i < s->unit->own; i++)
        first[s->gnu[i] % s->gnu_buckets + 1]++;
    for (uint32_t b = 0; b < s->gnu_buckets; b++)
        first[b + 1] += first[b];
    for (uint32_t i = 0; i < s->unit->own; i++) {
        uint32_t number = s->undefined + 1 + first[s->gnu[i] % s->gnu_buckets]++;
        s->dynsym[i] = number;
        s->listed[number] = i;
    }
    free(first);
    return 0;
}

static void mark_called(const struct lc_unit *u)
{
    for (uint32_t i = 0; i < u->refs; i++)
        if (u->ref[i].kind == LC_REF_CALL)
            u->symbol[u->ref[i].target].slot = 0;
}

int lc_shared_plan_symbols(struct lc_shared *s)
{
    const struct lc_unit *u = s->unit;

    s->gnu = calloc(u->symbols, sizeof(*s->gnu));
    s->sysv = calloc(u->symbols, sizeof(*s->sysv));
    s->dynsym = calloc(u->symbols, sizeof(*s->dynsym));
    s->listed = calloc(u->symbols + 1, sizeof(*s->listed));
    s->called = calloc(u->symbols, sizeof(*s->called));
    if (!s->gnu || !s->sysv || !s->dynsym || !s->listed || !s->called)
        return -1;
    for (uint32_t i = 0; i < u->symbols; i++)
        name_hash(u->names.data + u->symbol[i].name, &s->gnu[i], &s->sysv[i]);
    mark_called(u);
    s->gnu_buckets = buckets_for(u->own, 2);
    s->gnu_words = bloom_words(u->own);
    s->sysv_buckets = buckets_for(u->symbols, 1);
    return number_by_hash(s) < 0 || number_by_bucket(s) < 0 ? -1 : 0;
}

void lc_shared_free_symbols(struct lc_shared *s)
{
    free(s->gnu);
    free(s->sysv);
    free(s->dynsym);
    free(s->listed);
    free(s->called);
}

/* ---- writing ---- */

static void gnu_hash_write(const struct lc_shared *s)
{
    unsigned shift = bloom_shift(s);
    uint32_t *head = lc_shared_bytes(s, LC_SEC_GNU_HASH);
    uint64_t *bloom = (uint64_t *)(head + 4);
    uint32_t *bucket = (uint32_t *)(bloom + s->gnu_words);
    uint32_t *chain = bucket + s->gnu_buckets, total = s->unit->symbols;

    head[0] = s->gnu_buckets;
    head[1] = s->undefined + 1;
    head[2] = s->gnu_words;
    head[3] = shift;
    for (uint32_t n = s->undefined + 1; n <= total; n++) {
        uint32_t h = s->gnu[s->listed[n]], b = h % s->gnu_buckets;
        bloom[h / 64 % s->gnu_words] |= 1ull << h % 64 | 1ull << (h >> shift) % 64;
        if (!bucket[b])
            bucket[b] = n;
        bool last = n == total || s->gnu[s->listed[n + 1]] % s->gnu_buckets != b;
        chain[n - s->undefined - 1] = (h & ~1u) | last;
    }
}

static void sysv_hash_write(const struct lc_shared *s)
{
    uint32_t *head = lc_shared_bytes(s, LC_SEC_HASH), total = s->unit->symbols;
    uint32_t *bucket = head + 2, *chain = bucket + s->sysv_buckets;

    head[0] = s->sysv_buckets;
    head[1] = total + 1;
    for (uint32_t n = 1; n <= total; n++) {
        uint32_t b = s->sysv[s->listed[n]] % s->sysv_buckets;
        chain[n] = bucket[b];
        bucket[b] = n;
    }
}

static Elf64_Sym symbol_entry(const struct lc_shared *s, uint32_t symbol, uint32_t names)
{
    const struct lc_elf_symbol *from = &s->unit->symbol[symbol];
    bool defined = symbol < s->unit->own;
    int type = defined || from->libc ? STT_FUNC : STT_NOTYPE;

    return (Elf64_Sym){.st_name = names + from->name,
                       .st_info = ELF64_ST_INFO(from->weak ? STB_WEAK : STB_GLOBAL, type),
                       .st_shndx = defined ? s->number[LC_SEC_TEXT] : SHN_UNDEF,
                       .st_value = defined ? lc_shared_address(s, LC_SEC_TEXT) + from->value : 0,
                       .st_size = defined ? from->size : 0};
}

static void versions_write(const struct lc_shared *s)
{
    uint16_t *versym = lc_shared_bytes(s, LC_SEC_VERSYM);
    uint32_t version, unused;
    struct {
        Elf64_Verneed need;
        Elf64_Vernaux name;
    } *out = lc_shared_bytes(s, LC_SEC_VERNEED);

    name_hash(s->unit->machine->libc_version, &unused, &version);
    for (uint32_t n = 1; n <= s->unit->symbols; n++)
        versym[n] = s->unit->symbol[s->listed[n]].libc ? 2 : 1;
    out->need = (Elf64_Verneed){1, 1, s->libc_at, sizeof(out->need), 0};
    out->name = (Elf64_Vernaux){version, 0, 2, s->version_at, 0};
}

void lc_shared_write_symbols(const struct lc_shared *s)
{
    Elf64_Sym *dynsym = lc_shared_bytes(s, LC_SEC_DYNSYM);
    Elf64_Sym *symtab = lc_shared_bytes(s, LC_SEC_SYMTAB);
    uint32_t names = (uint32_t)s->local_names.len -
                     1; /* both tables begin with a NUL, of which one is left out */

    for (uint32_t n = 1; n <= s->unit->symbols; n++)
        dynsym[n] = symbol_entry(s, s->listed[n], 0);
    memcpy(symtab, s->local, s->locals * sizeof(*s->local));
    for (uint32_t i = 0; i < s->unit->symbols; i++)
        symtab[s->locals + i] = symbol_entry(s, i, names);
    gnu_hash_write(s);
    sysv_hash_write(s);
    versions_write(s);
}

size_t lc_shared_relocations(const struct lc_shared *s)
{
    return 2 + s->unit->pointers + LC_START_SYMBOLS;
}

static uint64_t pointer_value(const struct lc_shared *s, const struct lc_pointer *p)
{
    enum lc_section_number in = p->kind == LC_POINTER_RODATA ? LC_SEC_RODATA : LC_SEC_DATA;

    return lc_shared_address(s, in) + p->target;
}

/* Relative relocations come first, as DT_RELACOUNT requires. Their value is also written to the
 * relocated place, as ld does. */
static Elf64_Rela *relative_write(const struct lc_shared *s, Elf64_Rela *out)
{
    const struct lc_unit *u = s->unit;
    uint64_t text = lc_shared_address(s, LC_SEC_TEXT), data = lc_shared_address(s, LC_SEC_DATA);
    uint8_t *bytes = lc_shared_bytes(s, LC_SEC_DATA);
    uint64_t start[2] = {text + u->dummy, text + u->dtors};
    const enum lc_section_number array[2] = {LC_SEC_INIT_ARRAY, LC_SEC_FINI_ARRAY};

    for (int i = 0; i < 2; i++) {
        memcpy(lc_shared_bytes(s, array[i]), &start[i], sizeof(start[i]));
        *out++ = (Elf64_Rela){lc_shared_address(s, array[i]), ELF64_R_INFO(0, u->machine->relative),
                              (int64_t)start[i]};
    }
    for (uint32_t i = 0; i < u->pointers; i++) {
        const struct lc_pointer *p = &u->pointer[i];
        uint64_t value = pointer_value(s, p);
        if (p->kind == LC_POINTER_SYMBOL)
            continue;
        memcpy(bytes + p->place, &value, sizeof(value));
        *out++ =
            (Elf64_Rela){data + p->place, ELF64_R_INFO(0, u->machine->relative), (int64_t)value};
    }
    return out;
}

static void rela_dyn_write(const struct lc_shared *s)
{
    const struct lc_unit *u = s->unit;
    Elf64_Rela *out = relative_write(s, lc_shared_bytes(s, LC_SEC_RELA_DYN));
    uint64_t got = lc_shared_address(s, LC_SEC_GOT) + (u->machine->got_head ? 8 : 0);

    for (uint32_t i = 0; i < LC_START_SYMBOLS; i++)
        *out++ = (Elf64_Rela){
            got + 8 * i, ELF64_R_INFO((uint64_t)s->dynsym[u->start + i], u->machine->glob_dat), 0};
    for (uint32_t i = 0; i < u->pointers; i++)
        if (u->pointer[i].kind == LC_POINTER_SYMBOL)
            *out++ = (Elf64_Rela){
                lc_shared_address(s, LC_SEC_DATA) + u->pointer[i].place,
                ELF64_R_INFO((uint64_t)s->dynsym[u->pointer[i].target], u->machine->absolute), 0};
}

void lc_shared_write_relocations(const struct lc_shared *s)
{
    const struct lc_machine *m = s->unit->machine;
    uint64_t plt = lc_shared_address(s, LC_SEC_PLT), got = lc_shared_address(s, LC_SEC_GOT_PLT);
    Elf64_Rela *out = lc_shared_bytes(s, LC_SEC_RELA_PLT);
    uint64_t *slot = lc_shared_bytes(s, LC_SEC_GOT_PLT);
    uint64_t *first = m->got_head ? lc_shared_bytes(s, LC_SEC_GOT) : slot;

    rela_dyn_write(s);
    *first = lc_shared_address(s, LC_SEC_DYNAMIC);
    for (uint32_t i = 0; i < s->slots; i++) {
        slot[3 + i] = m->lazy(plt, i);
        out[i] = (Elf64_Rela){got + LC_GOT_PLT_HEAD + 8 * (uint64_t)i,
                              ELF64_R_INFO((uint64_t)s->dynsym[s->called[i]], m->jump_slot), 0};
    }
    m->plt(lc_shared_bytes(s, LC_SEC_PLT), plt, got, s->slots);
}

/* ---- the dynamic section ---- */

static size_t dynamic_put(Elf64_Dyn *out, size_t n, int64_t tag, uint64_t value)
{
    if (out)
        out[n] = (Elf64_Dyn){tag, {value}};
    return n + 1;
}

static size_t needed_put(const struct lc_shared *s, Elf64_Dyn *out)
{
    const char *name = s->wish->needed.data;
    size_t n = 0, at = s->needed_at;

    for (size_t i = 0; i < s->wish->needed_count; i++) {
        n = dynamic_put(out, n, DT_NEEDED, at);
        at += strlen(name) + 1;
        name += strlen(name) + 1;
    }
    return dynamic_put(out, n, DT_NEEDED, s->libc_at);
}

static size_t tables_put(const struct lc_shared *s, Elf64_Dyn *out, size_t n)
{
    n = dynamic_put(out, n, DT_HASH, lc_shared_address(s, LC_SEC_HASH));
    n = dynamic_put(out, n, DT_GNU_HASH, lc_shared_address(s, LC_SEC_GNU_HASH));
    n = dynamic_put(out, n, DT_STRTAB, lc_shared_address(s, LC_SEC_DYNSTR));
    n = dynamic_put(out, n, DT_SYMTAB, lc_shared_address(s, LC_SEC_DYNSYM));
    n = dynamic_put(out, n, DT_STRSZ, s->section[LC_SEC_DYNSTR].sh_size);
    n = dynamic_put(out, n, DT_SYMENT, sizeof(Elf64_Sym));
    n = dynamic_put(out, n, DT_PLTGOT, lc_shared_address(s, LC_SEC_GOT_PLT));
    if (s->slots) {
        n = dynamic_put(out, n, DT_PLTRELSZ, s->section[LC_SEC_RELA_PLT].sh_size);
        n = dynamic_put(out, n, DT_PLTREL, DT_RELA);
        n = dynamic_put(out, n, DT_JMPREL, lc_shared_address(s, LC_SEC_RELA_PLT));
    }
    n = dynamic_put(out, n, DT_RELA, lc_shared_address(s, LC_SEC_RELA_DYN));
    n = dynamic_put(out, n, DT_RELASZ, s->section[LC_SEC_RELA_DYN].sh_size);
    n = dynamic_put(out, n, DT_RELAENT, sizeof(Elf64_Rela));
    n = dynamic_put(out, n, DT_VERNEED, lc_shared_address(s, LC_SEC_VERNEED));
    n = dynamic_put(out, n, DT_VERNEEDNUM, 1);
    return dynamic_put(out, n, DT_VERSYM, lc_shared_address(s, LC_SEC_VERSYM));
}

size_t lc_shared_dynamic(const struct lc_shared *s, Elf64_Dyn *out)
{
    size_t n = needed_put(s, out), relative = 2;

    for (uint32_t i = 0; i < s->unit->pointers; i++)
        relative += s->unit->pointer[i].kind != LC_POINTER_SYMBOL;
    n = dynamic_put(out, n, DT_RUNPATH, s->runpath_at);
    n = dynamic_put(out, n, DT_INIT, lc_shared_address(s, LC_SEC_INIT));
    n = dynamic_put(out, n, DT_FINI, lc_shared_address(s, LC_SEC_FINI));
    n = dynamic_put(out, n, DT_INIT_ARRAY, lc_shared_address(s, LC_SEC_INIT_ARRAY));
    n = dynamic_put(out, n, DT_INIT_ARRAYSZ, 8);
    n = dynamic_put(out, n, DT_FINI_ARRAY, lc_shared_address(s, LC_SEC_FINI_ARRAY));
    n = dynamic_put(out, n, DT_FINI_ARRAYSZ, 8);
    n = tables_put(s, out, n);
    n = dynamic_put(out, n, DT_RELACOUNT, relative);
    return dynamic_put(out, n, DT_NULL, 0);
}
