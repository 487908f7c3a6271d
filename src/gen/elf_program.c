/* SPDX-License-Identifier: MIT */
/* elf_program.c - an executable that gen completes after linking */
#include "gen/elf_program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/elf_build_id.h"
#include "util/io.h"

static int part_read(const struct lc_elf_program *p, uint64_t at, uint64_t len, struct lc_buf *out)
{
    char *room = len < UINT32_MAX ? lc_buf_extend(out, len) : NULL;

    return room && pread(p->fd, room, len, (off_t)at) == (ssize_t)len ? 0 : -1;
}

static int sections_read(struct lc_elf_program *p)
{
    struct stat st;

    if (fstat(p->fd, &st) < 0 ||
        pread(p->fd, &p->head, sizeof(p->head), 0) != (ssize_t)sizeof(p->head) ||
        p->head.e_shstrndx >= p->head.e_shnum ||
        part_read(p, p->head.e_shoff, p->head.e_shnum * sizeof(Elf64_Shdr), &p->sections) < 0)
        return -1;
    p->bytes = (uint64_t)st.st_size;
    Elf64_Shdr *all = (Elf64_Shdr *)p->sections.data;
    for (uint16_t i = 0; i < p->head.e_shnum; i++)
        if (all[i].sh_type == SHT_SYMTAB && all[i].sh_link < p->head.e_shnum) {
            p->symbols = &all[i];
            p->strings = &all[all[i].sh_link];
        }
    p->section_names = &all[p->head.e_shstrndx];
    return part_read(p, p->section_names->sh_offset, p->section_names->sh_size, &p->names);
}

int lc_elf_program_open(struct lc_elf_program *p, const char *path, struct lc_error *err)
{
    *p = (struct lc_elf_program){.path = path, .fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)};
    if (p->fd < 0)
        return lc_error_errno(err, "cannot open '%s'", path);
    if (sections_read(p) < 0 ||
        (p->symbols && (part_read(p, p->symbols->sh_offset, p->symbols->sh_size, &p->symtab) < 0 ||
                        part_read(p, p->strings->sh_offset, p->strings->sh_size, &p->strtab) < 0)))
        return lc_error_set(err, "cannot read '%s'", path);
    return 0;
}

int lc_elf_program_close(struct lc_elf_program *p, int rc, struct lc_error *err)
{
    lc_buf_free(&p->sections);
    lc_buf_free(&p->symtab);
    lc_buf_free(&p->strtab);
    lc_buf_free(&p->names);
    if (p->fd >= 0 && close(p->fd) < 0 && rc == 0)
        rc = lc_error_errno(err, "cannot write '%s'", p->path);
    p->fd = -1;
    return rc;
}

const Elf64_Sym *lc_elf_program_symbol(const struct lc_elf_program *p, const char *name)
{
    const Elf64_Sym *all = (const Elf64_Sym *)p->symtab.data;
    size_t n = p->symtab.len / sizeof(*all);

    for (size_t i = 0; i < n; i++)
        if (all[i].st_name < p->strtab.len && strcmp(p->strtab.data + all[i].st_name, name) == 0)
            return &all[i];
    return NULL;
}

uint64_t lc_elf_program_place(const struct lc_elf_program *p, const Elf64_Sym *symbol)
{
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= p->head.e_shnum)
        return 0;
    const Elf64_Shdr *s = (const Elf64_Shdr *)p->sections.data + symbol->st_shndx;

    return s->sh_type == SHT_NOBITS ? 0 : s->sh_offset + symbol->st_value - s->sh_addr;
}

int lc_elf_program_write(const struct lc_elf_program *p, const void *data, size_t len, uint64_t at,
                         struct lc_error *err)
{
    return lc_write_at(p->fd, data, len, (off_t)at) < 0
               ? lc_error_errno(err, "cannot write '%s'", p->path)
               : 0;
}

/* ---- the build-id ---- */

static const Elf64_Shdr *find_note(const struct lc_elf_program *p)
{
    const Elf64_Shdr *all = (const Elf64_Shdr *)p->sections.data;

    for (uint16_t i = 1; i < p->head.e_shnum; i++)
        if (all[i].sh_type == SHT_NOTE && all[i].sh_name < p->names.len &&
            strcmp(p->names.data + all[i].sh_name, ".note.gnu.build-id") == 0 &&
            all[i].sh_size == LC_NOTE_HEAD + LC_BUILD_ID_BYTES)
            return &all[i];
    return NULL;
}

static int hash_part(const struct lc_elf_program *p, uint64_t at, uint64_t end, XXH3_state_t *state)
{
    enum { PIECE = 1 << 20 };
    char *piece = malloc(PIECE);
    ssize_t n = piece ? 1 : -1;

    while (n > 0 && at < end) {
        n = pread(p->fd, piece, end - at < PIECE ? end - at : PIECE, (off_t)at);
        if (n > 0)
            XXH3_128bits_update(state, piece, (size_t)n);
        at += n > 0 ? (uint64_t)n : 0;
    }
    free(piece);
    return n > 0 ? 0 : -1;
}

int lc_elf_program_stamp(const struct lc_elf_program *p, uint64_t end,
                         const struct lc_elf_program_part *hole, struct lc_error *err)
{
    const Elf64_Shdr *note = find_note(p);
    XXH3_state_t *state = note ? XXH3_createState() : NULL;
    uint8_t id[LC_BUILD_ID_BYTES];

    if (!note)
        return 0;
    if (!state || XXH3_128bits_reset(state) == XXH_ERROR || hash_part(p, 0, hole->at, state) < 0 ||
        XXH3_128bits_update(state, &hole->digest, sizeof(hole->digest)) == XXH_ERROR ||
        hash_part(p, hole->at + hole->bytes, end, state) < 0) {
        XXH3_freeState(state);
        return lc_error_errno(err, "cannot read '%s'", p->path);
    }
    lc_build_id(XXH3_128bits_digest(state), id);
    XXH3_freeState(state);
    return lc_elf_program_write(p, id, sizeof(id), note->sh_offset + LC_NOTE_HEAD, err);
}
