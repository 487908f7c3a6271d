/* SPDX-License-Identifier: MIT */
/* elf_static.c - all libraries' code as one relocatable object
 *
 * Utilities come first, then modules by number, so that the address of every called function is
 * known before the call is written, and one pass suffices. In .text each library has its code, then
 * its constants. */
#include "gen/elf_static.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gen/elf_file.h"
#include "gen/elf_shared.h"
#include "gen/name.h"

enum { UNIT_ALIGN = 16, TEXT_ALIGN = 4096 }; /* a page: addresses within it keep their low bits */

bool lc_static_reaches(const struct lc_machine *machine, double text_bytes)
{
    return text_bytes < machine->reach;
}

/* ---- layout ---- */

static int unit_make(const struct lc_static *all, size_t number, struct lc_unit *unit)
{
    size_t libs = lc_model_libs(all->model);

    if (number < libs)
        return lc_unit_lib(unit, all->machine, all->model, lc_model_lib(all->model, number),
                           LC_UNIT_STATIC);
    bool begin = number == libs;
    return lc_unit_hook(unit, all->machine, all->model, begin ? "libmodulebegin" : "libmodulefinal",
                        begin ? "begin_break_here" : "break_here", LC_UNIT_STATIC);
}

static uint64_t align_to(uint64_t at, uint64_t to)
{
    return (at + to - 1) / to * to;
}

/* The offset of the constants within the unit. */
static uint64_t pool_at(const struct lc_unit *unit)
{
    return align_to(unit->text.len, UNIT_ALIGN);
}

/* Places a unit next in .text and records the addresses of its symbols. */
static void unit_place(struct lc_static *all, size_t number, const struct lc_unit *unit)
{
    all->text[number] = all->text_bytes;
    for (uint32_t i = 0; i < unit->own; i++) {
        all->value[all->symbols[number] + i] = unit->symbol[i].value;
        all->size[all->symbols[number] + i] = unit->symbol[i].size;
    }
    all->text_bytes += align_to(pool_at(unit) + unit->rodata.len, UNIT_ALIGN);
}

/* Symbols a unit defines: functions; extern, visit, py_..._entry and PyInit_... of modules. */
static uint32_t own_symbols(const struct lc_model *model, size_t number)
{
    if (number >= lc_model_libs(model))
        return 2;
    struct lc_lib lib = lc_model_lib(model, number);
    return lc_model_functions(model, lib) +
           (lib.kind == LC_LIB_MODULE ? 3 + model->config.externs : 0);
}

int lc_static_open(struct lc_static *all, const struct lc_model *model,
                   const struct lc_machine *machine)
{
    size_t units = lc_model_libs(model) + 2, symbols = 0;

    *all = (struct lc_static){.model = model, .machine = machine, .units = units};
    for (size_t i = 0; i < units; i++)
        symbols += own_symbols(model, i);
    all->room_bytes = units * sizeof(*all->text) + (units + 1) * sizeof(*all->symbols) +
                      symbols * (sizeof(*all->value) + sizeof(*all->size));
    all->room =
        mmap(NULL, all->room_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all->room == MAP_FAILED) {
        all->room = NULL;
        return -1;
    }
    all->text = all->room;
    all->symbols = (uint32_t *)(all->text + units);
    all->value = all->symbols + units + 1;
    all->size = all->value + symbols;
    for (size_t i = 0; i < units; i++)
        all->symbols[i + 1] = all->symbols[i] + own_symbols(model, i);
    return 0;
}

void lc_static_close(struct lc_static *all)
{
    if (all->room)
        munmap(all->room, all->room_bytes);
    *all = (struct lc_static){0};
}

/* ---- the object ---- */

enum section {
    NONE,
    TEXT,
    RELA_TEXT,
    DATA,
    RELA_DATA,
    FRAMES,
    RELA_FRAMES,
    STACK,
    COMMENT,
    SYMTAB,
    STRTAB,
    SHSTRTAB,
    SECTIONS
};

enum symbol { NO_SYMBOL, TEXT_SYMBOL, DATA_SYMBOL, PY_LONG, PY_INIT, PUTS, FIRST_INIT };

struct object {
    struct lc_static *all;
    struct lc_elf_file file;
    struct lc_buf rela_text, data, rela_data, frames, rela_frames, symtab, strtab;
};

static void relocation_add(struct lc_buf *out, uint64_t place, uint32_t symbol, uint32_t type,
                           int64_t addend)
{
    Elf64_Rela r = {place, ELF64_R_INFO((uint64_t)symbol, type), addend};

    lc_buf_add(out, &r, sizeof(r));
}

static void symbol_add(struct object *o, const char *name, unsigned info, uint16_t section,
                       uint64_t value, uint64_t size)
{
    Elf64_Sym s = {
        name ? (uint32_t)o->strtab.len : 0, (unsigned char)info, 0, section, value, size};

    lc_buf_add(&o->symtab, &s, sizeof(s));
    if (name)
        lc_buf_add(&o->strtab, name, strlen(name) + 1);
}

static void first_symbols_add(struct object *o)
{
    const unsigned section = ELF64_ST_INFO(STB_LOCAL, STT_SECTION);

    lc_buf_extend(&o->symtab, sizeof(Elf64_Sym));
    lc_buf_putc(&o->strtab, '\0');
    symbol_add(o, NULL, section, TEXT, 0, 0);
    symbol_add(o, NULL, section, DATA, 0, 0);
    symbol_add(o, "PyLong_FromUnsignedLong", ELF64_ST_INFO(STB_WEAK, STT_NOTYPE), 0, 0, 0);
    symbol_add(o, "PyModuleDef_Init", ELF64_ST_INFO(STB_WEAK, STT_NOTYPE), 0, 0, 0);
    /* Weak if no function prints: then it may stay undefined. */
    symbol_add(o, "puts",
               ELF64_ST_INFO(o->all->model->config.prints ? STB_GLOBAL : STB_WEAK, STT_NOTYPE), 0,
               0, 0);
}

/* The address of the function that a call within the object leads to. */
static uint64_t callee_address(const struct object *o, const struct lc_unit *u, uint32_t symbol,
                               uint64_t text)
{
    const struct lc_static *all = o->all;
    const struct lc_elf_symbol *s = &u->symbol[symbol];

    if (symbol < u->own)
        return text + s->value;
    bool is_extern = s->function == LC_NONE;
    size_t unit = s->lib + (is_extern ? 0 : all->model->modules);
    uint32_t number = is_extern ? all->symbols[unit + 1] - 4 : all->symbols[unit] + s->function;
    return all->text[unit] + all->value[number];
}

static uint32_t symbol_outside(const struct lc_unit *u, uint32_t symbol)
{
    return symbol == u->py_long   ? PY_LONG
           : symbol == u->py_init ? PY_INIT
           : symbol == u->puts    ? PUTS
                                  : NO_SYMBOL;
}

static void unit_bind_calls(struct object *o, struct lc_unit *u, uint64_t text, uint64_t data)
{
    const struct lc_machine *m = u->machine;

    for (uint32_t i = 0; i < u->refs; i++) {
        const struct lc_ref *r = &u->ref[i];
        uint8_t *place = (uint8_t *)u->text.data + r->place;
        uint64_t from = text + r->place;
        if (r->kind == LC_REF_DATA)
            m->relocate(&o->rela_text, from, DATA_SYMBOL, (int64_t)(data + r->target));
        else if (r->kind == LC_REF_CALL && symbol_outside(u, r->target))
            relocation_add(&o->rela_text, from, symbol_outside(u, r->target), m->call,
                           m->call_addend);
        else if (r->kind == LC_REF_CALL)
            m->fix(place, from, callee_address(o, u, r->target, text), r->kind);
        else
            m->fix(place, from, text + pool_at(u) + r->target, r->kind);
    }
}

static void data_add(struct object *o, const struct lc_unit *u, uint64_t text, uint64_t data)
{
    for (uint32_t i = 0; i < u->pointers; i++) {
        const struct lc_pointer *p = &u->pointer[i];
        uint64_t to = p->kind == LC_POINTER_RODATA   ? text + pool_at(u) + p->target
                      : p->kind == LC_POINTER_SYMBOL ? text + u->symbol[p->target].value
                                                     : data + p->target;
        relocation_add(&o->rela_data, data + p->place,
                       p->kind == LC_POINTER_DATA ? DATA_SYMBOL : TEXT_SYMBOL, u->machine->absolute,
                       (int64_t)to);
    }
    lc_buf_add(&o->data, u->data.data, u->data.len);
}

static void frames_add(struct object *o, const struct lc_unit *u, uint64_t text)
{
    for (uint32_t i = 0; i < u->frames; i++) {
        size_t place = lc_frame_add(&o->frames, u->machine, &u->frame[i], 0, 0);
        if (!o->frames.failed)
            memset(o->frames.data + place, 0, 4);
        relocation_add(&o->rela_frames, place, TEXT_SYMBOL, u->machine->pc32,
                       (int64_t)(text + u->frame[i].start));
    }
}

static int unit_add(struct object *o, size_t number, struct lc_error *err)
{
    uint64_t text = o->all->text_bytes;
    struct lc_unit u;
    int rc = unit_make(o->all, number, &u);

    if (rc < 0) {
        lc_unit_free(&u);
        return lc_error_errno(err, "cannot make the static code");
    }
    unit_place(o->all, number, &u);
    while (o->data.len % 32)
        lc_buf_putc(&o->data, 0);
    unit_bind_calls(o, &u, text, o->data.len);
    if (u.py_init != LC_NONE)
        symbol_add(o, u.names.data + u.symbol[u.own - 1].name, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                   TEXT, text + u.symbol[u.own - 1].value, u.symbol[u.own - 1].size);
    data_add(o, &u, text, o->data.len);
    frames_add(o, &u, text);
    lc_buf_extend(&u.text, pool_at(&u) - u.text.len);
    lc_buf_add(&u.text, u.rodata.data, u.rodata.len);
    lc_buf_extend(&u.text, align_to(u.text.len, UNIT_ALIGN) - u.text.len);
    rc = u.text.failed ? lc_error_errno(err, "cannot make the static code")
                       : lc_elf_file_add(&o->file, u.text.data, u.text.len, err);
    lc_unit_free(&u);
    return rc;
}

static int write_rest(struct object *o, struct lc_error *err)
{
    static const char note[] = "loadcast gen";
    const uint64_t alloc = SHF_ALLOC;
    const struct lc_elf_section all[] = {
        {".rela.text", SHT_RELA, SHF_INFO_LINK, 8, 24, SYMTAB, TEXT, &o->rela_text},
        {".data", SHT_PROGBITS, alloc | SHF_WRITE, 32, 0, 0, 0, &o->data},
        {".rela.data", SHT_RELA, SHF_INFO_LINK, 8, 24, SYMTAB, DATA, &o->rela_data},
        {".eh_frame", SHT_PROGBITS, alloc, 8, 0, 0, 0, &o->frames},
        {".rela.eh_frame", SHT_RELA, SHF_INFO_LINK, 8, 24, SYMTAB, FRAMES, &o->rela_frames},
        {".note.GNU-stack", SHT_PROGBITS, 0, 1, 0, 0, 0, &(struct lc_buf){0}},
        {".comment", SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, 1, 1, 0, 0,
         &(struct lc_buf){.data = (char *)note, .len = sizeof(note)}},
        {".symtab", SHT_SYMTAB, 0, 8, 24, STRTAB, PY_LONG, &o->symtab},
        {".strtab", SHT_STRTAB, 0, 1, 0, 0, 0, &o->strtab},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (lc_elf_file_section(&o->file, &all[i], err) < 0)
            return -1;
    return lc_elf_file_finish(&o->file, ET_REL, o->all->machine->elf_machine, err);
}

/* The unit with this number in the order of .text: utilities, modules, the two hooks. */
static size_t unit_at(const struct lc_model *model, size_t at)
{
    size_t libs = lc_model_libs(model), utilities = libs - model->modules;

    return at < utilities ? at + model->modules : at < libs ? at - utilities : at;
}

static int object_write(struct object *o, struct lc_error *err)
{
    const struct lc_elf_section text = {
        ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT_ALIGN, 0, 0, 0, NULL};

    first_symbols_add(o);
    lc_frame_add_cie(&o->frames, o->all->machine);
    if (lc_elf_file_section(&o->file, &text, err) < 0)
        return -1;
    for (size_t i = 0; i < o->all->units; i++)
        if (unit_add(o, unit_at(o->all->model, i), err) < 0)
            return -1;
    lc_elf_file_end_section(&o->file);
    return write_rest(o, err);
}

int lc_static_write(struct lc_static *all, const char *path, struct lc_error *err)
{
    struct object o = {.all = all};
    struct lc_buf *const bufs[] = {&o.rela_text,   &o.data,   &o.rela_data, &o.frames,
                                   &o.rela_frames, &o.symtab, &o.strtab};
    int rc = lc_elf_file_create(&o.file, path, err);

    if (rc == 0)
        rc = object_write(&o, err);
    rc = lc_elf_file_close(&o.file, rc, err);
    for (size_t i = 0; i < sizeof(bufs) / sizeof(*bufs); i++)
        lc_buf_free(bufs[i]);
    return rc;
}
