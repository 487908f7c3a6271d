/* SPDX-License-Identifier: MIT */
/* bind_elf.c - read the dynamic tables of an ELF file
 *
 * The file is read, not mapped: if it is replaced meanwhile, a mapping could change, or
 * reading it could end in a bus error. */
#include "record/bind_elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "image/hash.h"
#include "node/elf_object.h"
#include "util/io.h"

/* The dynamic section (PT_DYNAMIC). */
struct dynamic {
    const Elf64_Dyn *row;
    size_t count;
};

/* Reads 'len' bytes at a file offset. NULL if they lie outside the file or cannot be read. */
static const void *bytes_at(struct lc_bind_elf *e, uint64_t offset, uint64_t len)
{
    bool fits = offset <= e->pages.len && len <= e->pages.len - offset;

    return fits && lc_private_pages_read(&e->pages, e->fd, offset, offset + len) == 0
               ? e->pages.at + offset
               : NULL;
}

/* File offset of an address; *room gets the number of bytes from there to the end of the segment's
 * part of the file. 0 if no segment has this address in the file. */
static uint64_t offset_of(const struct lc_bind_elf *e, uint64_t address, uint64_t *room)
{
    for (size_t i = 0; i < e->segments; i++) {
        const Elf64_Phdr *p = &e->segment[i];
        if (p->p_type != PT_LOAD || address < p->p_vaddr || address - p->p_vaddr >= p->p_filesz)
            continue;
        uint64_t skip = address - p->p_vaddr;
        *room = p->p_filesz - skip;
        return p->p_offset + skip;
    }
    return 0;
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

static bool is_table_tag(int64_t tag)
{
    static const int64_t known[] = {DT_STRTAB, DT_SYMTAB,  DT_GNU_HASH, DT_HASH,
                                    DT_VERSYM, DT_VERNEED, DT_VERDEF,   DT_RELA,
                                    DT_JMPREL, DT_INIT,    DT_FINI};

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (tag == known[i])
            return true;
    return false;
}

/* Upper limit for the size of a table without a recorded length: the distance to the next table. */
static uint64_t bytes_to_next(const struct dynamic *d, uint64_t address, uint64_t room)
{
    for (size_t i = 0; i < d->count && d->row[i].d_tag != DT_NULL; i++)
        if (is_table_tag(d->row[i].d_tag) && d->row[i].d_un.d_ptr > address &&
            d->row[i].d_un.d_ptr - address < room)
            room = d->row[i].d_un.d_ptr - address;
    return room;
}

/* The table of records at an address, 'bytes' long; UINT64_MAX: up to the next table. */
static const void *read_table(struct lc_bind_elf *e, const struct dynamic *d, uint64_t address,
                              uint64_t bytes, size_t record, size_t *count)
{
    uint64_t room, offset = offset_of(e, address, &room);
    bool is_good = offset && offset % (record >= 8 ? 8 : record) == 0 &&
                   (bytes == UINT64_MAX || bytes <= room);

    if (is_good && bytes == UINT64_MAX)
        bytes = bytes_to_next(d, address, room);
    const void *at = is_good ? bytes_at(e, offset, bytes) : NULL;
    if (!at) {
        e->is_odd = true;
        return NULL;
    }
    *count = bytes / record;
    return at;
}

static uint64_t dynamic_value(const struct dynamic *d, int64_t tag, uint64_t otherwise)
{
    uint64_t value = otherwise;

    for (size_t i = 0; i < d->count && d->row[i].d_tag != DT_NULL; i++)
        if (d->row[i].d_tag == tag)
            value = d->row[i].d_un.d_val;
    return value;
}

static const char *string_at(const struct lc_bind_elf *e, uint64_t offset)
{
    return offset < e->strings && memchr(e->string + offset, '\0', e->strings - offset)
               ? e->string + offset
               : NULL;
}

static void read_needed(struct lc_bind_elf *e, const struct dynamic *d)
{
    for (size_t i = 0; i < d->count && d->row[i].d_tag != DT_NULL; i++) {
        const char *name = string_at(e, d->row[i].d_un.d_val);
        if (d->row[i].d_tag == DT_SONAME)
            e->soname = name;
        if (d->row[i].d_tag == DT_FILTER || d->row[i].d_tag == DT_AUXILIARY)
            e->is_odd = true;
        if (d->row[i].d_tag != DT_NEEDED)
            continue;
        const char **more = realloc(e->needed, (e->needs + 1) * sizeof(*more));
        e->needed = more ? more : e->needed;
        if (!more || !name)
            e->is_odd = true;
        else
            e->needed[e->needs++] = name;
    }
}

static void read_relocations(struct lc_bind_elf *e, const struct dynamic *d)
{
    size_t rows = 0, plt = 0;
    uint64_t rela = dynamic_value(d, DT_RELA, 0), jmprel = dynamic_value(d, DT_JMPREL, 0);
    uint64_t relative = dynamic_value(d, DT_RELACOUNT, 0);

    if (rela)
        e->table = read_table(e, d, rela, dynamic_value(d, DT_RELASZ, 0), sizeof(*e->table), &rows);
    if (jmprel)
        e->plt = read_table(e, d, jmprel, dynamic_value(d, DT_PLTRELSZ, 0), sizeof(*e->plt), &plt);
    e->table_count = (uint32_t)rows;
    e->plt_count = (uint32_t)plt;
    e->relative = relative > rows ? (uint32_t)rows : (uint32_t)relative;
}

static void read_symbols(struct lc_bind_elf *e, const struct dynamic *d)
{
    uint64_t at;
    size_t versions, ignored;

    if ((at = dynamic_value(d, DT_STRTAB, 0)))
        e->string = read_table(e, d, at, UINT64_MAX, 1, &e->strings);
    if ((at = dynamic_value(d, DT_SYMTAB, 0)))
        e->symbol = read_table(e, d, at, UINT64_MAX, sizeof(*e->symbol), &e->symbols);
    if ((at = dynamic_value(d, DT_GNU_HASH, 0)))
        e->gnu_hash = read_table(e, d, at, UINT64_MAX, 4, &e->gnu_words);
    if ((at = dynamic_value(d, DT_HASH, 0)))
        e->sysv_hash = read_table(e, d, at, UINT64_MAX, 4, &e->sysv_words);
    if ((at = dynamic_value(d, DT_VERSYM, 0))) {
        e->version = read_table(e, d, at, UINT64_MAX, 2, &versions);
        if (e->version && versions < e->symbols)
            e->symbols = versions;
    }
    if ((at = dynamic_value(d, DT_VERNEED, 0)))
        e->need = read_table(e, d, at, UINT64_MAX, 1, &ignored);
    if ((at = dynamic_value(d, DT_VERDEF, 0)))
        e->def = read_table(e, d, at, UINT64_MAX, 1, &ignored);
}

static int read_dynamic(struct lc_bind_elf *e)
{
    struct dynamic all = {0}, *d = &all;

    if (!(all.row = read_segments(e, &all.count)))
        return -1;
    for (size_t i = 0; i < d->count && d->row[i].d_tag != DT_NULL; i++)
        if (lc_elf_object_is_hashed(d->row[i].d_tag))
            e->dynamic =
                lc_elf_object_hash(e->dynamic, (uint64_t)d->row[i].d_tag, d->row[i].d_un.d_val);
    read_symbols(e, d);
    read_relocations(e, d);
    read_needed(e, d);
    e->is_eager = dynamic_value(d, DT_BIND_NOW, UINT64_MAX) != UINT64_MAX ||
                  (dynamic_value(d, DT_FLAGS, 0) & DF_BIND_NOW) ||
                  (dynamic_value(d, DT_FLAGS_1, 0) & DF_1_NOW);
    return 0;
}

static int open_file(struct lc_bind_elf *e, const char *path, struct stat *st)
{
    e->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (e->fd < 0 || fstat(e->fd, st) < 0)
        return -1;
    if (!S_ISREG(st->st_mode) || st->st_size <= (off_t)sizeof(Elf64_Ehdr))
        return errno = ENOEXEC, -1;
    return lc_private_pages_reserve(&e->pages, (size_t)st->st_size);
}

static int read_tables(struct lc_bind_elf *e)
{
    const Elf64_Ehdr *h = bytes_at(e, 0, sizeof(*h));

    if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phoff % 8)
        return -1;
    e->segments = h->e_phnum;
    e->segment = bytes_at(e, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf64_Phdr));
    return e->segment ? read_dynamic(e) : -1;
}

static int hash_content(struct lc_bind_elf *e)
{
    enum { PIECE = 1 << 17 }; /* stays in a CPU's cache */
    XXH3_state_t *state = XXH3_createState();
    char *piece = malloc(PIECE);
    ssize_t n = state && piece && XXH3_128bits_reset(state) == XXH_OK ? 1 : -1;

    for (off_t at = 0; n > 0; at += n)
        if ((n = lc_read_at(e->fd, piece, PIECE, at)) > 0)
            XXH3_128bits_update(state, piece, (size_t)n);
    if (n == 0) {
        XXH128_hash_t hash = XXH3_128bits_digest(state);
        e->content[0] = hash.low64;
        e->content[1] = hash.high64;
    }
    free(piece);
    XXH3_freeState(state);
    return n < 0 ? -1 : 0;
}

/* If the file changed while it was read, tables and hash may belong to different versions. */
static bool is_unchanged(int fd, const struct stat *before)
{
    struct stat now;

    return fstat(fd, &now) == 0 && now.st_size == before->st_size &&
           now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == before->st_mtim.tv_nsec &&
           now.st_ctim.tv_sec == before->st_ctim.tv_sec &&
           now.st_ctim.tv_nsec == before->st_ctim.tv_nsec;
}

int lc_bind_elf_open(struct lc_bind_elf *e, const char *path)
{
    struct stat st;

    *e = (struct lc_bind_elf){0};
    int rc = open_file(e, path, &st);
    if (rc == 0 && (read_tables(e) < 0 || hash_content(e) < 0 || !is_unchanged(e->fd, &st)))
        rc = (errno = ENOEXEC, -1);
    int saved = errno;
    if (e->fd >= 0)
        close(e->fd);
    if (rc < 0)
        lc_bind_elf_close(e);
    errno = saved;
    return rc;
}

void lc_bind_elf_close(struct lc_bind_elf *e)
{
    lc_private_pages_free(&e->pages);
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
