/* SPDX-License-Identifier: MIT */
/* elf_shared.c - write a shared object that has been laid out (elf_layout.c)
 *
 * First all sizes, then all addresses, then all bytes, straight into one buffer that is written by
 * one call. libelf would hold every section a second time and convert it entry by entry. */
#include "gen/elf_shared.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "gen/elf_build_id.h"

/* ---- bytes ---- */

static void section_fill(const struct lc_shared *s, enum lc_section_number section,
                         const void *data, size_t len)
{
    if (len)
        memcpy(lc_shared_bytes(s, section), data, len);
}

static void strings_write(const struct lc_shared *s)
{
    const struct lc_unit *u = s->unit;
    char *dynstr = lc_shared_bytes(s, LC_SEC_DYNSTR), *strtab = lc_shared_bytes(s, LC_SEC_STRTAB);
    char *p = lc_shared_bytes(s, LC_SEC_SHSTRTAB);

    section_fill(s, LC_SEC_DYNSTR, u->names.data, u->names.len);
    if (s->wish->needed.len)
        memcpy(dynstr + s->needed_at, s->wish->needed.data, s->wish->needed.len);
    strcpy(dynstr + s->runpath_at, s->wish->runpath);
    strcpy(dynstr + s->libc_at, "libc.so.6");
    strcpy(dynstr + s->version_at, u->machine->libc_version);
    memcpy(strtab, s->local_names.data, s->local_names.len);
    memcpy(strtab + s->local_names.len, u->names.data + 1, u->names.len - 1);
    p++;
    for (int i = 1; i < LC_SECTIONS; i++)
        if (s->number[i])
            p = stpcpy(p, lc_section_kinds[i].name) + 1;
}

/* Where an instruction's operand is. */
static uint64_t address_of(const struct lc_shared *s, const struct lc_ref *r)
{
    static const enum lc_section_number section[] = {[LC_REF_RODATA] = LC_SEC_RODATA,
                                                     [LC_REF_DATA] = LC_SEC_DATA,
                                                     [LC_REF_BSS] = LC_SEC_BSS,
                                                     [LC_REF_GOT] = LC_SEC_GOT};
    const struct lc_machine *m = s->unit->machine;

    if (r->kind == LC_REF_CALL)
        return lc_shared_address(s, LC_SEC_PLT) + m->plt_head +
               (uint64_t)s->unit->symbol[r->target].slot * m->plt_entry;
    if (r->kind == LC_REF_GOT)
        return lc_shared_address(s, LC_SEC_GOT) + 8 * (r->target + m->got_head);
    return lc_shared_address(s, section[r->kind]) + (uint64_t)(int64_t)(int32_t)r->target;
}

static void code_write(const struct lc_shared *s)
{
    const struct lc_unit *u = s->unit;

    section_fill(s, LC_SEC_INIT, u->init.data, u->init.len);
    section_fill(s, LC_SEC_TEXT, u->text.data, u->text.len);
    section_fill(s, LC_SEC_FINI, u->fini.data, u->fini.len);
    for (uint32_t i = 0; i < u->refs; i++) {
        const struct lc_ref *r = &u->ref[i];
        enum lc_section_number in = i < u->init_refs ? LC_SEC_INIT : LC_SEC_TEXT;
        uint8_t *bytes = lc_shared_bytes(s, in);
        u->machine->fix(bytes + r->place, lc_shared_address(s, in) + r->place, address_of(s, r),
                        r->kind);
    }
}

static int frames_write(const struct lc_shared *s)
{
    struct lc_buf frames = {0};
    int rc = lc_frame_write(s, &frames);

    if (rc == 0)
        section_fill(s, LC_SEC_EH_FRAME, frames.data, frames.len);
    lc_buf_free(&frames);
    lc_frame_write_table(s);
    return rc;
}

/* A segment from the start of section 'first' to the end of section 'last'. */
static Elf64_Phdr segment_header(const struct lc_shared *s, uint32_t type, uint32_t flags,
                                 int first, int last, uint64_t align)
{
    const Elf64_Shdr *a = &s->section[first], *z = &s->section[last];
    uint64_t bytes = z->sh_addr + z->sh_size - a->sh_addr;
    uint64_t in_file = lc_section_kinds[last].type == SHT_NOBITS ? bytes - z->sh_size : bytes;

    if (lc_section_kinds[last].type == SHT_NOBITS)
        in_file = z->sh_offset - a->sh_offset;
    return (Elf64_Phdr){type, flags, a->sh_offset, a->sh_addr, a->sh_addr, in_file, bytes, align};
}

/* The first segment holds the file's headers too. */
static Elf64_Phdr first_segment(const struct lc_shared *s)
{
    const struct lc_machine *m = s->unit->machine;
    int last = !m->code_apart ? LC_SEC_EH_FRAME : s->slots ? LC_SEC_RELA_PLT : LC_SEC_RELA_DYN;
    Elf64_Phdr p = segment_header(s, PT_LOAD, m->code_apart ? PF_R : PF_R | PF_X, LC_SEC_BUILD_ID,
                                  last, m->page);

    p.p_filesz += p.p_offset;
    p.p_memsz = p.p_filesz;
    p.p_offset = p.p_vaddr = p.p_paddr = 0;
    return p;
}

static void segments_write(const struct lc_shared *s)
{
    const struct lc_machine *m = s->unit->machine;
    Elf64_Phdr *p = (Elf64_Phdr *)(s->out + sizeof(Elf64_Ehdr));

    *p++ = first_segment(s);
    if (m->code_apart) {
        *p++ = segment_header(s, PT_LOAD, PF_R | PF_X, LC_SEC_INIT, LC_SEC_FINI, m->page);
        *p++ = segment_header(s, PT_LOAD, PF_R, LC_SEC_RODATA, LC_SEC_EH_FRAME, m->page);
    }
    *p++ = segment_header(s, PT_LOAD, PF_R | PF_W, LC_SEC_INIT_ARRAY, LC_SEC_BSS, m->page);
    *p++ = segment_header(s, PT_DYNAMIC, PF_R | PF_W, LC_SEC_DYNAMIC, LC_SEC_DYNAMIC, 8);
    *p++ = segment_header(s, PT_NOTE, PF_R, LC_SEC_BUILD_ID, LC_SEC_BUILD_ID, 4);
    *p++ = segment_header(s, PT_GNU_EH_FRAME, PF_R, LC_SEC_EH_HDR, LC_SEC_EH_HDR, 4);
    *p++ = (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16};
    *p = segment_header(s, PT_GNU_RELRO, PF_R, LC_SEC_INIT_ARRAY, LC_SEC_GOT, 1);
    p->p_filesz += LC_GOT_PLT_HEAD;
    p->p_memsz += LC_GOT_PLT_HEAD;
}

static void headers_write(const struct lc_shared *s)
{
    Elf64_Ehdr head = {.e_type = ET_DYN,
                       .e_machine = s->unit->machine->elf_machine,
                       .e_version = EV_CURRENT,
                       .e_phoff = sizeof(head),
                       .e_shoff = s->headers_at,
                       .e_ehsize = sizeof(head),
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = lc_shared_segments(s),
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = s->sections,
                       .e_shstrndx = s->number[LC_SEC_SHSTRTAB]};
    Elf64_Shdr *table = (Elf64_Shdr *)(s->out + s->headers_at);

    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    memcpy(s->out, &head, sizeof(head));
    segments_write(s);
    for (int i = 1; i < LC_SECTIONS; i++)
        if (s->number[i])
            table[s->number[i]] = s->section[i];
}

/* The build-id: a hash of all other bytes of the file. */
static void build_id_write(const struct lc_shared *s)
{
    uint8_t *note = lc_shared_bytes(s, LC_SEC_BUILD_ID);
    const Elf64_Nhdr head = {4, LC_BUILD_ID_BYTES, NT_GNU_BUILD_ID};

    memcpy(note, &head, sizeof(head));
    memcpy(note + sizeof(head), "GNU", 4);
    lc_build_id(XXH3_128bits(s->out, s->bytes), note + LC_NOTE_HEAD);
}

static void debug_write(const struct lc_shared *s)
{
    for (int i = LC_SEC_DEBUG_ARANGES; s->unit->has_lines && i <= LC_SEC_DEBUG_LINE_STR; i++)
        section_fill(s, (enum lc_section_number)i, lc_shared_debug(s, i)->data,
                     lc_shared_debug(s, i)->len);
}

static int write_all(struct lc_shared *s, struct lc_buf *out)
{
    size_t before = out->len;

    s->bytes = s->headers_at + s->sections * sizeof(Elf64_Shdr);
    if (!lc_buf_extend(out, s->bytes))
        return -1;
    s->out = (uint8_t *)out->data + before;
    strings_write(s);
    code_write(s);
    section_fill(s, LC_SEC_RODATA, s->unit->rodata.data, s->unit->rodata.len);
    section_fill(s, LC_SEC_DATA, s->unit->data.data, s->unit->data.len);
    section_fill(s, LC_SEC_COMMENT, LC_SHARED_COMMENT, sizeof(LC_SHARED_COMMENT));
    lc_shared_dynamic(s, lc_shared_bytes(s, LC_SEC_DYNAMIC));
    lc_shared_write_symbols(s);
    lc_shared_write_relocations(s);
    debug_write(s);
    if (frames_write(s) < 0)
        return -1;
    headers_write(s);
    build_id_write(s);
    return 0;
}

int lc_shared_write(const struct lc_unit *unit, const struct lc_shared_wish *wish,
                    struct lc_buf *out)
{
    struct lc_shared s = {.unit = unit, .wish = wish};
    int rc = lc_shared_plan(&s);

    if (rc == 0)
        rc = write_all(&s, out);
    lc_buf_free(&s.local_names);
    lc_dwarf_free(&s.dwarf);
    lc_shared_free_symbols(&s);
    return rc;
}
