/* SPDX-License-Identifier: MIT */
/* elf_layout.c - sizes, then addresses of a shared object's sections, in the order GNU ld has */
#include <string.h>

#include "gen/elf_build_id.h"
#include "gen/elf_shared.h"

/* Type, flags, alignment and entry size of each section, which are the same in every file. */
const struct lc_section_kind lc_section_kinds[LC_SECTIONS] = {
    [LC_SEC_BUILD_ID] = {".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 4, 0},
    [LC_SEC_HASH] = {".hash", SHT_HASH, SHF_ALLOC, 8, 4},
    [LC_SEC_GNU_HASH] = {".gnu.hash", SHT_GNU_HASH, SHF_ALLOC, 8, 0},
    [LC_SEC_DYNSYM] = {".dynsym", SHT_DYNSYM, SHF_ALLOC, 8, sizeof(Elf64_Sym)},
    [LC_SEC_DYNSTR] = {".dynstr", SHT_STRTAB, SHF_ALLOC, 1, 0},
    [LC_SEC_VERSYM] = {".gnu.version", SHT_GNU_versym, SHF_ALLOC, 2, 2},
    [LC_SEC_VERNEED] = {".gnu.version_r", SHT_GNU_verneed, SHF_ALLOC, 8, 0},
    [LC_SEC_RELA_DYN] = {".rela.dyn", SHT_RELA, SHF_ALLOC, 8, sizeof(Elf64_Rela)},
    [LC_SEC_RELA_PLT] = {".rela.plt", SHT_RELA, SHF_ALLOC | SHF_INFO_LINK, 8, sizeof(Elf64_Rela)},
    [LC_SEC_INIT] = {".init", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 4, 0},
    [LC_SEC_PLT] = {".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16, 0},
    [LC_SEC_TEXT] = {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16, 0},
    [LC_SEC_FINI] = {".fini", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 4, 0},
    [LC_SEC_RODATA] = {".rodata", SHT_PROGBITS, SHF_ALLOC, 32, 0},
    [LC_SEC_EH_HDR] = {".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, 4, 0},
    [LC_SEC_EH_FRAME] = {".eh_frame", SHT_PROGBITS, SHF_ALLOC, 8, 0},
    [LC_SEC_INIT_ARRAY] = {".init_array", SHT_INIT_ARRAY, SHF_ALLOC | SHF_WRITE, 8, 8},
    [LC_SEC_FINI_ARRAY] = {".fini_array", SHT_FINI_ARRAY, SHF_ALLOC | SHF_WRITE, 8, 8},
    [LC_SEC_DYNAMIC] = {".dynamic", SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, 8, sizeof(Elf64_Dyn)},
    [LC_SEC_GOT] = {".got", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, 8},
    [LC_SEC_GOT_PLT] = {".got.plt", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, 8},
    [LC_SEC_DATA] = {".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 32, 0},
    [LC_SEC_BSS] = {".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 1, 0},
    [LC_SEC_COMMENT] = {".comment", SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, 1, 1},
    [LC_SEC_DEBUG_ARANGES] = {".debug_aranges", SHT_PROGBITS, 0, 1, 0},
    [LC_SEC_DEBUG_INFO] = {".debug_info", SHT_PROGBITS, 0, 1, 0},
    [LC_SEC_DEBUG_ABBREV] = {".debug_abbrev", SHT_PROGBITS, 0, 1, 0},
    [LC_SEC_DEBUG_LINE] = {".debug_line", SHT_PROGBITS, 0, 1, 0},
    [LC_SEC_DEBUG_STR] = {".debug_str", SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, 1, 1},
    [LC_SEC_DEBUG_LINE_STR] = {".debug_line_str", SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, 1, 1},
    [LC_SEC_SYMTAB] = {".symtab", SHT_SYMTAB, 0, 8, sizeof(Elf64_Sym)},
    [LC_SEC_STRTAB] = {".strtab", SHT_STRTAB, 0, 1, 0},
    [LC_SEC_SHSTRTAB] = {".shstrtab", SHT_STRTAB, 0, 1, 0},
};

/* ---- sizes ---- */

static void plan_strings(struct lc_shared *s)
{
    const struct lc_unit *u = s->unit;
    uint32_t at = (uint32_t)u->names.len;

    s->needed_at = at;
    at += (uint32_t)s->wish->needed.len;
    s->runpath_at = at;
    at += (uint32_t)strlen(s->wish->runpath) + 1;
    s->libc_at = at;
    s->version_at = at + (uint32_t)sizeof("libc.so.6");
    at = s->version_at + (uint32_t)strlen(u->machine->libc_version) + 1;
    s->section[LC_SEC_DYNSTR].sh_size = at;
}

static uint64_t name_bytes(const struct lc_shared *s)
{
    uint64_t sum = 1;

    for (int i = 1; i < LC_SECTIONS; i++)
        if (i == LC_SEC_SHSTRTAB || s->section[i].sh_size)
            sum += strlen(lc_section_kinds[i].name) + 1;
    return sum;
}

static int plan_frames(struct lc_shared *s)
{
    struct lc_buf frames = {0};
    int rc = lc_frame_write(
        s, &frames); /* its size does not depend on addresses, which are not known yet */

    s->section[LC_SEC_EH_FRAME].sh_size = frames.len;
    s->section[LC_SEC_EH_HDR].sh_size = lc_frame_table_bytes(s->unit);
    lc_buf_free(&frames);
    return rc;
}

static int plan_sizes(struct lc_shared *s)
{
    const struct lc_unit *u = s->unit;
    const struct lc_machine *m = u->machine;
    Elf64_Shdr *sec = s->section;
    uint64_t dynsyms = u->symbols + 1;

    sec[LC_SEC_BUILD_ID].sh_size = LC_NOTE_HEAD + LC_BUILD_ID_BYTES;
    sec[LC_SEC_HASH].sh_size = 4 * (2 + s->sysv_buckets + dynsyms);
    sec[LC_SEC_GNU_HASH].sh_size = 16 + 8 * s->gnu_words + 4 * ((uint64_t)s->gnu_buckets + u->own);
    sec[LC_SEC_DYNSYM].sh_size = dynsyms * sizeof(Elf64_Sym);
    sec[LC_SEC_VERSYM].sh_size = 2 * dynsyms;
    sec[LC_SEC_VERNEED].sh_size = sizeof(Elf64_Verneed) + sizeof(Elf64_Vernaux);
    sec[LC_SEC_RELA_DYN].sh_size = lc_shared_relocations(s) * sizeof(Elf64_Rela);
    sec[LC_SEC_RELA_PLT].sh_size = s->slots * sizeof(Elf64_Rela);
    sec[LC_SEC_INIT].sh_size = u->init.len;
    sec[LC_SEC_PLT].sh_size = m->plt_head + (uint64_t)s->slots * m->plt_entry;
    sec[LC_SEC_TEXT].sh_size = u->text.len;
    sec[LC_SEC_FINI].sh_size = u->fini.len;
    sec[LC_SEC_RODATA].sh_size = u->rodata.len;
    sec[LC_SEC_INIT_ARRAY].sh_size = sec[LC_SEC_FINI_ARRAY].sh_size = 8;
    sec[LC_SEC_DYNAMIC].sh_size = lc_shared_dynamic(s, NULL) * sizeof(Elf64_Dyn);
    sec[LC_SEC_GOT].sh_size = 8 * (LC_START_SYMBOLS + m->got_head);
    sec[LC_SEC_GOT_PLT].sh_size = LC_GOT_PLT_HEAD + 8 * (uint64_t)s->slots;
    sec[LC_SEC_DATA].sh_size = u->data.len;
    sec[LC_SEC_BSS].sh_size = LC_BSS_BYTES;
    sec[LC_SEC_COMMENT].sh_size = sizeof(LC_SHARED_COMMENT);
    return plan_frames(s);
}

/* ---- addresses ---- */

static uint64_t align_to(uint64_t at, uint64_t to)
{
    return (at + to - 1) / to * to;
}

/* Assigns offsets and addresses to sections 'first' to 'last'; an address is the offset plus
 * 'ahead'. */
static uint64_t sections_place(struct lc_shared *s, uint64_t at, int first, int last,
                               uint64_t ahead)
{
    for (int i = first; i <= last; i++) {
        Elf64_Shdr *sec = &s->section[i];
        if (!sec->sh_size)
            continue;
        at = align_to(at, lc_section_kinds[i].align);
        sec->sh_offset = at;
        sec->sh_addr = lc_section_kinds[i].flags & SHF_ALLOC ? at + ahead : 0;
        if (lc_section_kinds[i].type != SHT_NOBITS)
            at += sec->sh_size;
    }
    return at;
}

static uint64_t relro_bytes(const struct lc_shared *s)
{
    uint64_t sum = LC_GOT_PLT_HEAD;

    for (int i = LC_SEC_INIT_ARRAY; i <= LC_SEC_GOT; i++)
        sum += s->section[i].sh_size;
    return sum;
}

uint16_t lc_shared_segments(const struct lc_shared *s)
{
    return s->unit->machine->code_apart ? 9 : 7;
}

/* Places the sections that are loaded. The part that is read-only after relocation (RELRO) ends at
 * a page boundary; addresses of the writable segment are one page larger than its file offsets. */
static void plan_loaded(struct lc_shared *s)
{
    const struct lc_machine *m = s->unit->machine;
    uint64_t at = sizeof(Elf64_Ehdr) + lc_shared_segments(s) * sizeof(Elf64_Phdr);
    uint64_t relro = relro_bytes(s);

    at = sections_place(s, at, LC_SEC_BUILD_ID, LC_SEC_RELA_PLT, 0);
    if (m->code_apart)
        at = align_to(at, m->page);
    at = sections_place(s, at, LC_SEC_INIT, LC_SEC_FINI, 0);
    if (m->code_apart)
        at = align_to(at, m->page);
    at = sections_place(s, at, LC_SEC_RODATA, LC_SEC_EH_FRAME, 0);
    at = align_to(at + relro, m->page) - relro;
    at = sections_place(s, at, LC_SEC_INIT_ARRAY, LC_SEC_BSS, m->page);
    s->headers_at = at; /* moved further by plan_rest */
}

/* Places the sections that are not loaded behind those that are. */
static void plan_rest(struct lc_shared *s)
{
    uint64_t at = sections_place(s, s->headers_at, LC_SEC_COMMENT, LC_SEC_SHSTRTAB, 0);

    s->headers_at = align_to(at, 8);
}

/* ---- local symbols, known when there are addresses ---- */

static void local_add(struct lc_shared *s, const char *name, int type, enum lc_section_number in,
                      uint64_t offset, uint64_t size)
{
    bool is_file = type == STT_FILE;

    s->local[s->locals++] = (Elf64_Sym){.st_name = *name ? (uint32_t)s->local_names.len : 0,
                                        .st_info = ELF64_ST_INFO(STB_LOCAL, type),
                                        .st_shndx = is_file ? SHN_ABS : s->number[in],
                                        .st_value = is_file ? 0 : lc_shared_address(s, in) + offset,
                                        .st_size = size};
    if (*name)
        lc_buf_add(&s->local_names, name, strlen(name) + 1);
}

/* Mapping symbols, which tell code from data on machines whose ABI requires them. */
static void marks_add(struct lc_shared *s)
{
    static const enum lc_section_number code[] = {LC_SEC_INIT, LC_SEC_PLT, LC_SEC_TEXT,
                                                  LC_SEC_FINI};

    for (size_t i = 0; s->unit->machine->code_mark && i < sizeof(code) / sizeof(*code); i++)
        local_add(s, s->unit->machine->code_mark, STT_NOTYPE, code[i], 0, 0);
}

static void locals_add(struct lc_shared *s)
{
    const struct lc_unit *u = s->unit;
    char file[80];

    s->locals = 1;
    s->local_names.len = 0;
    lc_buf_add(&s->local_names, "", 1);
    local_add(s, "crtstuff.c", STT_FILE, LC_SEC_NULL, 0, 0);
    local_add(s, "__do_global_dtors_aux", STT_FUNC, LC_SEC_TEXT, u->dtors, 0);
    local_add(s, "frame_dummy", STT_FUNC, LC_SEC_TEXT, u->dummy, 0);
    local_add(s, "completed.0", STT_OBJECT, LC_SEC_BSS, 0, 1);
    strcpy(stpcpy(file, s->wish->name), ".c");
    local_add(s, file, STT_FILE, LC_SEC_NULL, 0, 0);
    local_add(s, "text", STT_OBJECT, LC_SEC_RODATA, 0, LC_TEXT_LEN + 1);
    if (u->py_init != LC_NONE) {
        local_add(s, "methods", STT_OBJECT, LC_SEC_DATA, u->definition - 64, 64);
        local_add(s, "definition", STT_OBJECT, LC_SEC_DATA, u->definition, 104);
    }
    local_add(s, "", STT_FILE, LC_SEC_NULL, 0, 0);
    local_add(s, "_DYNAMIC", STT_OBJECT, LC_SEC_DYNAMIC, 0, 0);
    local_add(s, "__dso_handle", STT_OBJECT, LC_SEC_DATA, 0, 0);
    local_add(s, "_init", STT_FUNC, LC_SEC_INIT, 0, 0);
    local_add(s, "_fini", STT_FUNC, LC_SEC_FINI, 0, 0);
    local_add(s, "__GNU_EH_FRAME_HDR", STT_NOTYPE, LC_SEC_EH_HDR, 0, 0);
    marks_add(s);
    local_add(s, "_GLOBAL_OFFSET_TABLE_", STT_OBJECT, LC_SEC_GOT_PLT, 0, 0);
}

/* ---- numbers and links ---- */

static void link_sections(struct lc_shared *s)
{
    static const struct {
        enum lc_section_number from, to;
    } link[] = {{LC_SEC_HASH, LC_SEC_DYNSYM},     {LC_SEC_GNU_HASH, LC_SEC_DYNSYM},
                {LC_SEC_DYNSYM, LC_SEC_DYNSTR},   {LC_SEC_VERSYM, LC_SEC_DYNSYM},
                {LC_SEC_VERNEED, LC_SEC_DYNSTR},  {LC_SEC_RELA_DYN, LC_SEC_DYNSYM},
                {LC_SEC_RELA_PLT, LC_SEC_DYNSYM}, {LC_SEC_DYNAMIC, LC_SEC_DYNSTR},
                {LC_SEC_SYMTAB, LC_SEC_STRTAB}};

    for (size_t i = 0; i < sizeof(link) / sizeof(*link); i++)
        s->section[link[i].from].sh_link = s->number[link[i].to];
    s->section[LC_SEC_DYNSYM].sh_info = 1;
    s->section[LC_SEC_VERNEED].sh_info = 1;
    s->section[LC_SEC_RELA_PLT].sh_info = s->number[LC_SEC_GOT_PLT];
    s->section[LC_SEC_SYMTAB].sh_info = s->locals;
}

/* Fills the headers of the sections that exist, and numbers them. */
static void number_sections(struct lc_shared *s)
{
    uint16_t n = 1;
    uint32_t name = 1;

    for (int i = 1; i < LC_SECTIONS; i++) {
        Elf64_Shdr *sec = &s->section[i];
        if (!sec->sh_size && i != LC_SEC_SHSTRTAB)
            continue;
        s->number[i] = n++;
        sec->sh_name = name;
        sec->sh_type = lc_section_kinds[i].type;
        sec->sh_flags = lc_section_kinds[i].flags;
        sec->sh_addralign = lc_section_kinds[i].align;
        sec->sh_entsize =
            i == LC_SEC_PLT ? s->unit->machine->plt_entsize : lc_section_kinds[i].entry;
        name += (uint32_t)strlen(lc_section_kinds[i].name) + 1;
    }
    s->sections = n;
}

/* ---- debug information ---- */

const struct lc_buf *lc_shared_debug(const struct lc_shared *s, int section)
{
    const struct lc_dwarf *d = &s->dwarf;
    const struct lc_buf *const part[] = {&d->aranges, &d->info, &d->abbrev,
                                         &d->line,    &d->str,  &d->line_str};

    return part[section - LC_SEC_DEBUG_ARANGES];
}

static int plan_debug(struct lc_shared *s)
{
    if (!s->unit->has_lines)
        return 0;
    int rc = lc_dwarf_make(&s->dwarf, s->unit, s->wish->name, lc_shared_address(s, LC_SEC_TEXT),
                           lc_shared_address(s, LC_SEC_RODATA));
    for (int i = LC_SEC_DEBUG_ARANGES; i <= LC_SEC_DEBUG_LINE_STR; i++)
        s->section[i].sh_size = lc_shared_debug(s, i)->len;
    return rc;
}

/* Sizes of tables that are not loaded; the names of local symbols do not depend on addresses. */
static void plan_tables(struct lc_shared *s)
{
    const struct lc_unit *u = s->unit;

    locals_add(s);
    s->section[LC_SEC_SYMTAB].sh_size = (s->locals + (uint64_t)u->symbols) * sizeof(Elf64_Sym);
    s->section[LC_SEC_STRTAB].sh_size = s->local_names.len + u->names.len - 1;
    s->section[LC_SEC_SHSTRTAB].sh_size = name_bytes(s);
}

/* ---- all of it ---- */

int lc_shared_plan(struct lc_shared *s)
{
    if (lc_shared_plan_symbols(s) < 0)
        return -1;
    plan_strings(s);
    if (plan_sizes(s) < 0)
        return -1;
    plan_loaded(s);
    if (plan_debug(s) < 0)
        return -1;
    plan_tables(s);
    number_sections(s);
    plan_rest(s);
    locals_add(s); /* now with section numbers */
    link_sections(s);
    return s->local_names.failed ? -1 : 0;
}
