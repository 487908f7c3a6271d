/* SPDX-License-Identifier: MIT */
/* bind_elf.c - an object's file, mapped */
#include "record/bind_elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "client/bindings/object.h"
#include "image/hash.h"

/* 'len' bytes at a file offset; NULL if they lie outside. */
static const void *bytes_at(const struct lc_bind_elf *e, uint64_t offset, uint64_t len)
{
    return offset <= e->len && len <= e->len - offset ? e->map + offset : NULL;
}

/* The same for an address; *room is what the segment's file part holds from there on. */
static const void *at_address(const struct lc_bind_elf *e, uint64_t address, size_t *room)
{
    for (size_t i = 0; i < e->segments; i++) {
        const Elf64_Phdr *p = &e->segment[i];
        if (p->p_type != PT_LOAD || address < p->p_vaddr || address - p->p_vaddr >= p->p_filesz)
            continue;
        uint64_t skip = address - p->p_vaddr;
        *room = p->p_filesz - skip;
        return bytes_at(e, p->p_offset + skip, *room);
    }
    return NULL;
}

static void read_build_id(struct lc_bind_elf *e, const Elf64_Phdr *p)
{
    const unsigned char *at = bytes_at(e, p->p_offset, p->p_filesz);
    const unsigned char *end = at ? at + p->p_filesz : NULL;

    while (at && end - at >= (long)sizeof(Elf64_Nhdr)) {
        const Elf64_Nhdr *n = (const void *)at;
        size_t name = (n->n_namesz + 3u) & ~(size_t)3, desc = (n->n_descsz + 3u) & ~(size_t)3;
        at += sizeof(*n);
        if (name + desc > (size_t)(end - at))
            return;
        if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && n->n_descsz > 0 &&
            memcmp(at, "GNU", 4) == 0)
            e->build = lc_hash(at + name, n->n_descsz);
        at += name + desc;
    }
}

static const Elf64_Dyn *read_segments(struct lc_bind_elf *e, size_t *count)
{
    const Elf64_Dyn *dynamic = NULL;

    for (size_t i = 0; i < e->segments; i++) {
        const Elf64_Phdr *p = &e->segment[i];
        if (p->p_type == PT_LOAD && p->p_vaddr + p->p_memsz > e->extent)
            e->extent = (uint32_t)(p->p_vaddr + p->p_memsz);
        if (p->p_type == PT_LOAD && p->p_vaddr + p->p_memsz >= UINT32_MAX)
            return NULL;
        if (p->p_type == PT_NOTE)
            read_build_id(e, p);
        if (p->p_type == PT_DYNAMIC && p->p_offset % 8 == 0) {
            dynamic = bytes_at(e, p->p_offset, p->p_filesz);
            *count = p->p_filesz / sizeof(*dynamic);
        }
    }
    return dynamic;
}

/* A table of records at an address, as many as fit or as 'bytes' says. */
static const void *table(struct lc_bind_elf *e, uint64_t address, uint64_t bytes, size_t record,
                         size_t *count)
{
    size_t room;
    const void *at = at_address(e, address, &room);

    if (!at || (uintptr_t)at % (record >= 8 ? 8 : record) ||
        (bytes != UINT64_MAX && bytes > room)) {
        e->is_odd = true;
        return NULL;
    }
    *count = (bytes == UINT64_MAX ? room : bytes) / record;
    return at;
}

static uint64_t value_of(const Elf64_Dyn *d, size_t count, int64_t tag, uint64_t otherwise)
{
    uint64_t value = otherwise;

    for (size_t i = 0; i < count && d[i].d_tag != DT_NULL; i++)
        if (d[i].d_tag == tag)
            value = d[i].d_un.d_val;
    return value;
}

static const char *string_at(const struct lc_bind_elf *e, uint64_t offset)
{
    return offset < e->strings && memchr(e->string + offset, '\0', e->strings - offset)
               ? e->string + offset
               : NULL;
}

static void read_needed(struct lc_bind_elf *e, const Elf64_Dyn *d, size_t count)
{
    for (size_t i = 0; i < count && d[i].d_tag != DT_NULL; i++) {
        const char *name = string_at(e, d[i].d_un.d_val);
        if (d[i].d_tag == DT_SONAME)
            e->soname = name;
        if (d[i].d_tag == DT_FILTER || d[i].d_tag == DT_AUXILIARY)
            e->is_odd = true;
        if (d[i].d_tag != DT_NEEDED)
            continue;
        const char **more = realloc(e->needed, (e->needs + 1) * sizeof(*more));
        e->needed = more ? more : e->needed;
        if (!more || !name)
            e->is_odd = true;
        else
            e->needed[e->needs++] = name;
    }
}

static void read_relocations(struct lc_bind_elf *e, const Elf64_Dyn *d, size_t count)
{
    size_t rows = 0, plt = 0;
    uint64_t rela = value_of(d, count, DT_RELA, 0), jmprel = value_of(d, count, DT_JMPREL, 0);
    uint64_t relative = value_of(d, count, DT_RELACOUNT, 0);

    if (rela)
        e->table = table(e, rela, value_of(d, count, DT_RELASZ, 0), sizeof(*e->table), &rows);
    if (jmprel)
        e->plt = table(e, jmprel, value_of(d, count, DT_PLTRELSZ, 0), sizeof(*e->plt), &plt);
    e->table_count = (uint32_t)rows;
    e->plt_count = (uint32_t)plt;
    e->relative = relative > rows ? (uint32_t)rows : (uint32_t)relative;
}

static void read_symbols(struct lc_bind_elf *e, const Elf64_Dyn *d, size_t count)
{
    uint64_t at;
    size_t versions, ignored;

    if ((at = value_of(d, count, DT_STRTAB, 0)))
        e->string = table(e, at, UINT64_MAX, 1, &e->strings);
    if ((at = value_of(d, count, DT_SYMTAB, 0)))
        e->symbol = table(e, at, UINT64_MAX, sizeof(*e->symbol), &e->symbols);
    if ((at = value_of(d, count, DT_GNU_HASH, 0)))
        e->gnu_hash = table(e, at, UINT64_MAX, 4, &e->gnu_words);
    if ((at = value_of(d, count, DT_HASH, 0)))
        e->sysv_hash = table(e, at, UINT64_MAX, 4, &e->sysv_words);
    if ((at = value_of(d, count, DT_VERSYM, 0))) {
        e->version = table(e, at, UINT64_MAX, 2, &versions);
        if (e->version && versions < e->symbols)
            e->symbols = versions;
    }
    if ((at = value_of(d, count, DT_VERNEED, 0)))
        e->need = table(e, at, UINT64_MAX, 1, &ignored);
    if ((at = value_of(d, count, DT_VERDEF, 0)))
        e->def = table(e, at, UINT64_MAX, 1, &ignored);
}

static int read_dynamic(struct lc_bind_elf *e)
{
    size_t count = 0;
    const Elf64_Dyn *d = read_segments(e, &count);

    if (!d)
        return errno = ENOEXEC, -1;
    for (size_t i = 0; i < count && d[i].d_tag != DT_NULL; i++)
        if (lc_bound_counts(d[i].d_tag))
            e->dynamic = lc_bound_mix(e->dynamic, (uint64_t)d[i].d_tag, d[i].d_un.d_val);
    read_symbols(e, d, count);
    read_relocations(e, d, count);
    read_needed(e, d, count);
    e->is_eager = value_of(d, count, DT_BIND_NOW, UINT64_MAX) != UINT64_MAX ||
                  (value_of(d, count, DT_FLAGS, 0) & DF_BIND_NOW) ||
                  (value_of(d, count, DT_FLAGS_1, 0) & DF_1_NOW);
    return 0;
}

static int map_file(struct lc_bind_elf *e, const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > (off_t)sizeof(Elf64_Ehdr)) {
        e->len = (size_t)st.st_size;
        void *map = mmap(NULL, e->len, PROT_READ, MAP_PRIVATE, fd, 0);
        e->map = map == MAP_FAILED ? NULL : map;
    }
    close(fd);
    return e->map ? 0 : (errno = ENOEXEC, -1);
}

int lc_bind_elf_open(struct lc_bind_elf *e, const char *path)
{
    *e = (struct lc_bind_elf){0};
    if (map_file(e, path) < 0)
        return -1;
    const Elf64_Ehdr *h = (const void *)e->map;
    e->segment = memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 && h->e_ident[EI_CLASS] == ELFCLASS64 &&
                         h->e_phentsize == sizeof(Elf64_Phdr) && h->e_phoff % 8 == 0
                     ? bytes_at(e, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf64_Phdr))
                     : NULL;
    e->segments = h->e_phnum;
    if (!e->segment || read_dynamic(e) < 0) {
        lc_bind_elf_close(e);
        return errno = ENOEXEC, -1;
    }
    XXH128_hash_t hash = XXH3_128bits(e->map, e->len);
    e->content[0] = hash.low64;
    e->content[1] = hash.high64;
    return 0;
}

void lc_bind_elf_close(struct lc_bind_elf *e)
{
    if (e->map)
        munmap((void *)(uintptr_t)e->map, e->len);
    free(e->needed);
    *e = (struct lc_bind_elf){0};
}

const Elf64_Rela *lc_bind_elf_row(const struct lc_bind_elf *e, uint32_t i)
{
    return i < e->table_count ? &e->table[i] : &e->plt[i - e->table_count];
}

const Elf64_Sym *lc_bind_elf_symbol(const struct lc_bind_elf *e, uint32_t index, const char **name)
{
    if (!e->symbol || index >= e->symbols)
        return NULL;
    *name = string_at(e, e->symbol[index].st_name);
    return *name ? &e->symbol[index] : NULL;
}
