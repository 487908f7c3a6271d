/* SPDX-License-Identifier: MIT */
/* elf_object.c - what a loaded ELF object's headers and .dynamic tell. Freestanding. */
#include "node/elf_object.h"

#include "image/bytes.h"
#include "image/hash.h"
#include "node/arch.h"
#include "node/syscall.h"

static bool is_page_mapped(uintptr_t page)
{
    unsigned char resident;

    return page && page % 4096 == 0 && LC_SYS3(__NR_mincore, page, 4096, &resident) == 0;
}

/* A library's ELF header is at its base, in every layout that linkers make. */
bool lc_elf_object_headers(const struct link_map *map, struct lc_program_headers *out)
{
    const ElfW(Ehdr) *h = (const void *)map->l_addr;

    if (!is_page_mapped(map->l_addr) ||
        !lc_bytes_equal((const char *)h->e_ident, ELFMAG, SELFMAG) ||
        h->e_phentsize != sizeof(*out->header) ||
        h->e_phoff + h->e_phnum * sizeof(*out->header) > 4096)
        return false;
    out->header = (const void *)(map->l_addr + h->e_phoff);
    out->count = h->e_phnum;
    return true;
}

static void read_build_id(struct lc_elf_object *o, const ElfW(Phdr) * p)
{
    const char *at = (const char *)(o->base + p->p_vaddr), *end = at + p->p_memsz;

    while (end - at >= (long)sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *n = (const void *)at;
        size_t name = (n->n_namesz + 3u) & ~(size_t)3, desc = (n->n_descsz + 3u) & ~(size_t)3;
        const char *body = at + sizeof(*n);
        if (name + desc > (size_t)(end - body))
            return;
        if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && n->n_descsz > 0 &&
            lc_bytes_equal(body, "GNU", 4))
            o->build = lc_hash(body + name, n->n_descsz);
        at = body + name + desc;
    }
}

/* Is a PT_NOTE segment in memory? It is if a readable PT_LOAD segment contains it. */
static bool note_is_loaded(const struct lc_program_headers *h, const ElfW(Phdr) * p)
{
    for (size_t i = 0; i < h->count; i++) {
        const ElfW(Phdr) *s = &h->header[i];
        if (s->p_type == PT_LOAD && (s->p_flags & PF_R) && p->p_vaddr >= s->p_vaddr &&
            p->p_memsz <= s->p_filesz && p->p_vaddr - s->p_vaddr <= s->p_filesz - p->p_memsz)
            return true;
    }
    return false;
}

/* Do the headers belong to this object? If ld.so itself was executed with the program as argument,
 * the auxiliary vector has those of ld.so. */
static bool headers_belong_to(const struct lc_program_headers *h, const struct link_map *map)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->header[i].p_type == PT_DYNAMIC)
            return map->l_addr + h->header[i].p_vaddr == (uintptr_t)map->l_ld;
    return false;
}

static void read_segments(struct lc_elf_object *o, const struct lc_program_headers *h)
{
    for (size_t i = 0; i < h->count; i++) {
        const ElfW(Phdr) *p = &h->header[i];
        if (p->p_type == PT_NOTE && note_is_loaded(h, p))
            read_build_id(o, p);
        if (p->p_type != PT_LOAD)
            continue;
        if (p->p_vaddr + p->p_memsz > o->extent)
            o->extent = p->p_vaddr + p->p_memsz;
        if ((p->p_flags & (PF_W | PF_X)) == (PF_W | PF_X))
            o->unsupported = "its code is writable";
        if (!(p->p_flags & PF_W) || (p->p_flags & PF_X))
            continue;
        if (o->writables == LC_SEGMENTS)
            o->unsupported = "it has too many segments";
        else
            o->writable[o->writables++] = (struct lc_segment){p->p_vaddr, p->p_vaddr + p->p_memsz};
    }
}

/* ld.so has added the base to some entries of .dynamic; the hash is over the file's values. */
static uint64_t value_in_file(const struct lc_elf_object *o, uint64_t value)
{
    return o->base && value >= o->base && value - o->base <= o->extent ? value - o->base : value;
}

/* Remember the entries that will be changed, and notice those that forbid a change. */
static void read_tag(struct lc_elf_object *o, ElfW(Dyn) * d)
{
    ElfW(Dyn) **place = d->d_tag == DT_RELA        ? &o->rela
                        : d->d_tag == DT_RELASZ    ? &o->relasz
                        : d->d_tag == DT_RELACOUNT ? &o->relacount
                        : d->d_tag == DT_PLTRELSZ  ? &o->pltrelsz
                                                   : NULL;

    if (d->d_tag == DT_STRTAB)
        o->strings = (const char *)d->d_un.d_ptr;
    if (d->d_tag == DT_SONAME)
        o->soname = d;
    if (d->d_tag == DT_NEEDED && !o->needed)
        o->needed = d;
    if (place && *place)
        o->unsupported = "a tag stands twice in .dynamic";
    if (place)
        *place = d;
    if (d->d_tag == DT_TEXTREL || (d->d_tag == DT_FLAGS && (d->d_un.d_val & DF_TEXTREL)))
        o->unsupported = "it has text relocations";
    if (d->d_tag == DT_SYMBOLIC || (d->d_tag == DT_FLAGS && (d->d_un.d_val & DF_SYMBOLIC)))
        o->unsupported = "it is linked with -Bsymbolic";
    if (d->d_tag == DT_JMPREL)
        o->plt = (const void *)d->d_un.d_ptr;
    if (d->d_tag == DT_PLTREL && d->d_un.d_val != DT_RELA)
        o->unsupported = "its PLT has relocations of another kind";
    if (d->d_tag == DT_RELAENT && d->d_un.d_val != sizeof(ElfW(Rela)))
        o->unsupported = "its relocations have another size";
}

static bool read_dynamic(struct lc_elf_object *o, const struct link_map *map)
{
    for (int i = 0; i < LC_DYNAMIC_MOST; i++) {
        ElfW(Dyn) *d = &map->l_ld[i];
        if (d->d_tag == DT_NULL)
            return true;
        if (!lc_elf_object_is_hashed(d->d_tag))
            continue;
        o->dynamic =
            lc_elf_object_hash(o->dynamic, (uint64_t)d->d_tag, value_in_file(o, d->d_un.d_val));
        read_tag(o, d);
    }
    return false;
}

static bool table_is_inside(const struct lc_elf_object *o, const void *at, uint64_t len)
{
    uintptr_t start = (uintptr_t)at - o->base;

    return start % 8 == 0 && start <= o->extent && len <= o->extent - start;
}

static void read_tables(struct lc_elf_object *o, const struct link_map *map)
{
    uint64_t size = o->relasz ? o->relasz->d_un.d_val : 0;
    uint64_t plt_size = o->plt && o->pltrelsz ? o->pltrelsz->d_un.d_val : 0;

    if (!o->rela || !o->relasz) {
        o->unsupported = "it has no relocations that can be replaced";
        return;
    }
    o->table = (const void *)o->rela->d_un.d_ptr;
    if (size % sizeof(ElfW(Rela)) || plt_size % sizeof(ElfW(Rela)) ||
        !table_is_inside(o, o->table, size) ||
        (plt_size && !table_is_inside(o, o->plt, plt_size)) ||
        !lc_elf_object_may_write(o, (uintptr_t)map->l_ld - o->base, sizeof(ElfW(Dyn)))) {
        o->unsupported = "its .dynamic cannot be written, or makes no sense";
        return;
    }
    o->table_count = (uint32_t)(size / sizeof(ElfW(Rela)));
    o->plt_count = (uint32_t)(plt_size / sizeof(ElfW(Rela)));
    uint64_t relative = o->relacount ? o->relacount->d_un.d_val : 0;
    o->relative = relative > o->table_count ? o->table_count : (uint32_t)relative;
    if (plt_size && o->plt < o->table + o->table_count && o->table < o->plt + o->plt_count)
        o->unsupported = "its relocation tables overlap";
}

bool lc_elf_object_read(struct lc_elf_object *o, const struct link_map *map,
                        const struct lc_program_headers *program)
{
    struct lc_program_headers h;

    for (size_t i = 0; i < sizeof(*o) / sizeof(uint64_t); i++)
        ((volatile uint64_t *)o)[i] = 0;
    o->base = map->l_addr;
    if (program)
        h = *program;
    else if (!lc_elf_object_headers(map, &h))
        return false;
    if (!map->l_ld || !headers_belong_to(&h, map))
        return false;
    read_segments(o, &h);
    if (!read_dynamic(o, map))
        return false;
    if ((uintptr_t)o->strings - o->base >= o->extent)
        o->strings = NULL; /* ld.so has not written to a .dynamic that is read-only */
    read_tables(o, map);
    if (o->extent >= 0xffffffffu)
        o->unsupported = "it is too large";
    return true;
}

bool lc_elf_object_may_write(const struct lc_elf_object *o, uint64_t offset, size_t len)
{
    for (uint32_t i = 0; i < o->writables; i++)
        if (offset >= o->writable[i].start && offset <= o->writable[i].end &&
            len <= o->writable[i].end - offset)
            return true;
    return false;
}
