/* SPDX-License-Identifier: MIT */
/* test_fixture.h - shared objects and a bindings section that were never in a file, for unit tests
 */
#ifndef LC_CLIENT_BINDINGS_TEST_FIXTURE_H
#define LC_CLIENT_BINDINGS_TEST_FIXTURE_H

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "client/bindings/group_writer.h"
#include "image/bindings.h"
#include "image/hash.h"

enum { FAKE_TAGS = 24, FAKE_ROWS = 2, FAKE_OBJECTS = 6, FAKE_GROUPS = 4 };

/* What ld.so has mapped of a small shared object: one page. */
struct fake_page {
    ElfW(Ehdr) head;
    ElfW(Phdr) header[3];
    struct {
        ElfW(Nhdr) head;
        char name[4];
        uint64_t id;
    } note;
    ElfW(Rela) row[FAKE_ROWS]; /* one RELATIVE, one of the PLT, with a symbol */
    uint64_t slot[FAKE_ROWS];  /* what they are for */
    ElfW(Dyn) dynamic[FAKE_TAGS];
    char strings[1024];
};

struct fake_object {
    struct link_map map;
    char path[64];
    struct fake_page *page;
};

enum { FAKE_SYMBOL_SLOT = offsetof(struct fake_page, slot) + sizeof(uint64_t) };

static inline size_t fake_text(struct fake_page *p, size_t *at, const char *text)
{
    size_t start = *at;

    strcpy(p->strings + start, text);
    *at += strlen(text) + 1;
    return start;
}

static inline void fake_headers(struct fake_page *p, const char *name)
{
    const size_t note = offsetof(struct fake_page, note),
                 dynamic = offsetof(struct fake_page, dynamic);

    memcpy(p->head.e_ident, ELFMAG, SELFMAG);
    p->head.e_phentsize = sizeof(p->header[0]);
    p->head.e_phoff = offsetof(struct fake_page, header);
    p->head.e_phnum = 3;
    p->header[0] =
        (ElfW(Phdr)){.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_filesz = 4096, .p_memsz = 4096};
    p->header[1] =
        (ElfW(Phdr)){.p_type = PT_DYNAMIC, .p_vaddr = dynamic, .p_memsz = sizeof(p->dynamic)};
    p->header[2] = (ElfW(Phdr)){.p_type = PT_NOTE, .p_vaddr = note, .p_memsz = sizeof(p->note)};
    p->note.head = (ElfW(Nhdr)){4, sizeof(p->note.id), NT_GNU_BUILD_ID};
    memcpy(p->note.name, "GNU", 4);
    p->note.id = lc_hash(name, strlen(name));
}

/* /lib/NAME with that DT_SONAME and what it needs, a list that ends with NULL. */
static inline void fake_object_make(struct fake_object *o, const char *name,
                                    const char *const needed[])
{
    struct fake_page *p =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ElfW(Dyn) *d = p->dynamic;
    size_t at = 1;

    fake_headers(p, name);
    p->row[0] = (ElfW(Rela)){offsetof(struct fake_page, slot), 8 /* RELATIVE */, 0x20};
    p->row[1] = (ElfW(Rela)){FAKE_SYMBOL_SLOT, ELF64_R_INFO(1, 7 /* JUMP_SLOT */), 0};
    for (; *needed; needed++)
        *d++ = (ElfW(Dyn)){DT_NEEDED, {fake_text(p, &at, *needed)}};
    *d++ = (ElfW(Dyn)){DT_SONAME, {fake_text(p, &at, name)}};
    *d++ = (ElfW(Dyn)){DT_STRTAB, {(uintptr_t)p->strings}};
    *d++ = (ElfW(Dyn)){DT_STRSZ, {sizeof(p->strings)}};
    *d++ = (ElfW(Dyn)){DT_RELA, {(uintptr_t)p->row}};
    *d++ = (ElfW(Dyn)){DT_RELASZ, {sizeof(p->row[0])}};
    *d++ = (ElfW(Dyn)){DT_RELACOUNT, {1}};
    *d++ = (ElfW(Dyn)){DT_JMPREL, {(uintptr_t)&p->row[1]}};
    *d++ = (ElfW(Dyn)){DT_PLTRELSZ, {sizeof(p->row[1])}};
    *d++ = (ElfW(Dyn)){DT_PLTREL, {DT_RELA}};
    snprintf(o->path, sizeof(o->path), "/lib/%s", name);
    o->page = p;
    o->map = (struct link_map){.l_addr = (uintptr_t)p, .l_name = o->path, .l_ld = p->dynamic};
}

static inline void fake_object_free(struct fake_object *o)
{
    munmap(o->page, 4096);
}

/* Several objects, with their names and what each needs. */
static inline void fake_objects_make(struct fake_object *o, const char *const name[],
                                     const char *const needed[][4], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        fake_object_make(&o[i], name[i], needed[i]);
}

static inline void fake_objects_free(struct fake_object *o, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        fake_object_free(&o[i]);
}

/* The value of the first entry of .dynamic with this tag; UINT64_MAX: there is none. */
static inline uint64_t fake_tag(const struct fake_object *o, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *d = o->page->dynamic; d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return d->d_un.d_val;
    return UINT64_MAX;
}

/* How many entries have this tag. */
static inline int fake_tags(const struct fake_object *o, ElfW(Sxword) tag)
{
    int n = 0;

    for (const ElfW(Dyn) *d = o->page->dynamic; d->d_tag != DT_NULL; d++)
        n += d->d_tag == tag;
    return n;
}

/* A section with one plan per object: its one symbol is bound to an address in a provider. */
struct fake_section {
    struct lc_bind_head head;
    struct lc_bind_object object[FAKE_OBJECTS];
    struct lc_bind_group group[FAKE_GROUPS];
    struct lc_bind_plan plan[FAKE_OBJECTS];
    struct lc_bind_member member[FAKE_GROUPS * FAKE_OBJECTS];
    uint32_t slot[16];
    uint32_t word[4 * FAKE_OBJECTS];
    char names[8];
};

enum { FAKE_TARGET = 0x40 };

static inline void fake_section_make(struct fake_section *s)
{
    *s = (struct fake_section){.head = {.version = LC_BIND_VERSION,
                                        .objects = FAKE_OBJECTS,
                                        .groups = FAKE_GROUPS,
                                        .plans = FAKE_OBJECTS,
                                        .members = FAKE_GROUPS * FAKE_OBJECTS,
                                        .slots = 16,
                                        .words = 4 * FAKE_OBJECTS,
                                        .names = sizeof(s->names)}};
    for (int i = 0; i < FAKE_GROUPS; i++)
        s->group[i].root = LC_NONE;
}

static inline void fake_section_slot(struct fake_section *s, uint64_t key, uint32_t object)
{
    while (s->slot[key & 15])
        key++;
    s->slot[key & 15] = object + 1;
}

/* Object 'i' is this one; its symbol is bound to one of 'provider'. */
static inline void fake_section_object(struct fake_section *s, uint32_t i,
                                       const struct fake_object *from, uint32_t provider)
{
    struct lc_bind_object *o = &s->object[i];
    struct lc_elf_object elf;

    lc_elf_object_read(&elf, &from->map, NULL);
    *o = (struct lc_bind_object){.content = {i + 1, i + 7},
                                 .dynamic = elf.dynamic,
                                 .build = elf.build,
                                 .flags = LC_BIND_SORTED,
                                 .extent = (uint32_t)elf.extent,
                                 .rows = FAKE_ROWS,
                                 .relative = 1};
    o->identity = lc_bindings_identity(o);
    fake_section_slot(s, lc_bindings_content_key(o->content), i);
    fake_section_slot(s, lc_bindings_build_key(o->dynamic, o->build), i);
    s->plan[i] = (struct lc_bind_plan){.first = 4 * i, .object = i, .runs = 1, .bindings = 1};
    s->word[4 * i] = provider;
    s->word[4 * i + 1] = 1;
    s->word[4 * i + 2] = FAKE_SYMBOL_SLOT;
    s->word[4 * i + 3] = FAKE_TARGET;
}

/* Group 'g' has 'count' members, all with their plans; groups are sorted by their first members. */
static inline void fake_section_group(struct fake_section *s, uint32_t g, uint32_t flags,
                                      uint64_t scope, const uint32_t *object, uint32_t count)
{
    s->group[g] = (struct lc_bind_group){.scope = scope,
                                         .root = object[0],
                                         .first = g * FAKE_OBJECTS,
                                         .count = count,
                                         .flags = flags};
    for (uint32_t i = 0; i < count; i++)
        s->member[g * FAKE_OBJECTS + i] = (struct lc_bind_member){object[i], object[i]};
}

static inline void fake_section_open(struct fake_section *s, struct lc_bindings *out)
{
    lc_bindings_seal(s, sizeof(*s));
    lc_bindings_open(out, s, sizeof(*s));
}

/* Object 'i' of the section becomes the next new object of the writer's group. */
static inline void fake_new_object(struct lc_group_writer *w, uint32_t i,
                                   const struct fake_object *from)
{
    struct lc_new_object *p = &w->object[w->objects++];
    const char *name = from->path + strlen("/lib/");

    memset(p, 0, sizeof(*p));
    lc_elf_object_read(&p->elf, &from->map, NULL);
    p->map = &from->map;
    p->object = i;
    p->cookie = w->objects;
    p->asked_name = lc_hash(name, strlen(name));
    p->plan = &w->recorded->plan[i];
    lc_bindings_plan_parts(w->recorded, p->plan, &p->parts);
}

enum { FAKE_MEMBERS = 4 };

/* A dlopen whose objects ld.so has mapped: one group of four objects, each of which binds to
 * itself. */
struct fake_group {
    struct fake_section section;
    struct lc_bindings recorded;
    struct fake_object object[FAKE_MEMBERS];
    struct lc_new_object new_object[FAKE_MEMBERS];
    uint8_t is_fully_bound[FAKE_OBJECTS];
    struct lc_group_writer w;
};

/* The first 'new_objects' of the four come with this dlopen; the others were loaded before. */
static inline void fake_group_make(struct fake_group *g, const char *const name[],
                                   const char *const needed[][4], uint32_t new_objects)
{
    static const uint32_t members[FAKE_MEMBERS] = {0, 1, 2, 3};

    memset(g, 0, sizeof(*g));
    fake_section_make(&g->section);
    fake_objects_make(g->object, name, needed, FAKE_MEMBERS);
    for (uint32_t i = 0; i < FAKE_MEMBERS; i++)
        fake_section_object(&g->section, i, &g->object[i], LC_BIND_SELF);
    fake_section_group(&g->section, 0, 0, 0, members, FAKE_MEMBERS);
    fake_section_open(&g->section, &g->recorded);
    g->w = (struct lc_group_writer){.recorded = &g->recorded,
                                    .is_fully_bound = g->is_fully_bound,
                                    .object = g->new_object,
                                    .group = &g->recorded.group[0],
                                    .call = {.is_known = true, .flags = RTLD_NOW}};
    g->w.call.opening = (struct lc_opening_call){1, 0x1000, 0x2000};
    for (uint32_t i = 0; i < new_objects; i++)
        fake_new_object(&g->w, i, &g->object[i]);
}

static inline void fake_group_free(struct fake_group *g)
{
    fake_objects_free(g->object, FAKE_MEMBERS);
}

#endif
