/* SPDX-License-Identifier: MIT */
/* measure.c - what node/preflight.h wants to know of each object. Freestanding. */
#include "client/audit/measure.h"

#include "image/bytes.h"
#include "node/dynamic_tags.h"
#include "node/elf_object.h"
#include "node/glibc_versions.h"
#include "node/preflight.h"
#include "node/symbol.h"
#include "node/syscall.h"

bool lc_measure_begin(struct lc_measure *m, const char *fd)
{
    int n = 0;

    for (const char *c = fd; *c >= '0' && *c <= '9' && n < 1000; c++)
        n = 10 * n + *c - '0';
    m->is_wanted = fd[0];
    m->fd = n;
    return m->is_wanted;
}

static uint32_t tls_bytes(const struct lc_program_headers *h)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < h->count; i++)
        if (h->header[i].p_type == PT_TLS && h->header[i].p_memsz > 0)
            sum = h->header[i].p_memsz + h->header[i].p_align;
    return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

/* Does the text stand anywhere in what of the object's file is mapped? */
static bool holds_text(const struct lc_program_headers *h, const struct link_map *map,
                       const char *text)
{
    size_t n = lc_bytes_length(text);

    for (size_t i = 0; i < h->count; i++) {
        const ElfW(Phdr) *p = &h->header[i];
        const char *at = (const char *)map->l_addr + p->p_vaddr, *end = at + p->p_filesz;
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_R) || (p->p_flags & PF_X))
            continue;
        for (; at + n <= end; at++)
            if (*at == *text && lc_bytes_equal(at, text, n))
                return true;
    }
    return false;
}

static const void *tag_address(const struct link_map *map, int64_t tag)
{
    for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return lc_tag_address(map, d->d_un.d_ptr);
    return NULL;
}

/* Of the versions that libc defines, the newest: "GLIBC_2.36" */
static uint16_t newest_version(const struct link_map *map)
{
    const ElfW(Verdef) *def = tag_address(map, DT_VERDEF);
    const char *strings = tag_address(map, DT_STRTAB);
    unsigned newest = 0;

    for (int i = 0; def && strings && i < 1000; i++) {
        const ElfW(Verdaux) *aux = (const void *)((const char *)def + def->vd_aux);
        const char *name = strings + aux->vda_name;
        unsigned minor = 0;
        if (lc_bytes_length(name) > 8 && lc_bytes_equal(name, "GLIBC_2.", 8))
            for (name += 8; *name >= '0' && *name <= '9'; name++)
                minor = 10 * minor + (unsigned)(*name - '0');
        newest = minor > newest ? minor : newest;
        if (!def->vd_next)
            break;
        def = (const void *)((const char *)def + def->vd_next);
    }
    return (uint16_t)newest;
}

/* The runtime as a library, or inside the program. */
static bool has_asan(const struct link_map *map)
{
    return lc_glibc_is_called(map, "libasan.so") || lc_glibc_is_called(map, "libclang_rt.asan") ||
           lc_symbol_address(map, "__asan_init");
}

bool lc_measure_take(struct lc_preflight_object *out, const struct link_map *map, bool is_program,
                     const struct lc_key *key)
{
    struct lc_program_headers h = {(const void *)key->headers, key->header_count};

    if (!is_program && !lc_elf_object_headers(map, &h))
        return false;
    *out = (struct lc_preflight_object){.tls_bytes = tls_bytes(&h)};
    out->flags = is_program ? LC_OBJECT_PROGRAM : 0;
    if (has_asan(map))
        out->flags |= LC_OBJECT_ASAN;
    if (lc_glibc_is_called(map, "libc.so."))
        out->glibc = newest_version(map);
    return true;
}

void lc_measure_object(const struct lc_measure *m, const struct link_map *map, bool is_program,
                       bool is_staged, const struct lc_key *key)
{
    struct lc_program_headers h;
    struct lc_preflight_object o;

    if (!m->is_wanted || !lc_measure_take(&o, map, is_program, key))
        return;
    o.flags |= is_staged ? LC_OBJECT_STAGED : 0;
    if (lc_glibc_is_loader(map->l_name) && lc_elf_object_headers(map, &h) &&
        holds_text(&h, map, LC_TLS_TUNABLE))
        o.flags |= LC_OBJECT_TUNABLE;
    lc_sys_write(m->fd, &o, sizeof(o));
}
