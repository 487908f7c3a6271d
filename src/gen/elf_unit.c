/* SPDX-License-Identifier: MIT */
/* elf_unit.c - one library of the model as machine code, constants and symbols */
#include "gen/elf_unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/elf_machine.h"
#include "gen/name.h"

enum {
    REFS_PER_CALL = LC_MOST_ARGS + 1,
    REFS_PER_FUNCTION = LC_STORES + 2 * REFS_PER_CALL + 3, /* name and puts, string returned */
    REFS_ELSE = 16,
    OTHER_SYMBOLS = 16,
    METH_NOARGS = 4,
    LINE_DECLARATIONS = 5, /* in the C source: the first of them; the structures of Python */
    LINES_PYTHON = 19,
    LINE_HOOK = 2,
    METHOD_BYTES = 32, /* name, function, flags, doc */
    DEFINITION_BYTES = 104,
    DEFINITION_NAME = 40, /* offsets in Python's PyModuleDef, see emit_c_python.c */
    DEFINITION_METHODS = 64,
};

void lc_unit_ref(struct lc_unit *unit, enum lc_ref_kind kind, size_t place, uint32_t target)
{
    unit->ref[unit->refs++] = (struct lc_ref){(uint32_t)place, target, kind};
}

void lc_unit_line(struct lc_unit *unit, int by, enum lc_column column)
{
    unit->line += (uint32_t)by;
    if (!unit->has_lines)
        return;
    struct lc_line_row row = {(uint32_t)unit->text.len, unit->line, column};
    lc_buf_add(&unit->lines, &row, sizeof(row));
}

uint32_t lc_unit_constant(struct lc_unit *unit, const void *bytes, size_t size)
{
    while (unit->rodata.len % size)
        lc_buf_putc(&unit->rodata, 0);
    uint32_t at = (uint32_t)unit->rodata.len;
    lc_buf_add(&unit->rodata, bytes, size);
    return at;
}

uint32_t lc_unit_real(struct lc_unit *unit, enum lc_type type, lc_literal eighths)
{
    double d = eighths / 8.0;
    float f = (float)d;

    return type == LC_FLOAT ? lc_unit_constant(unit, &f, sizeof(f))
                            : lc_unit_constant(unit, &d, sizeof(d));
}

uint32_t lc_unit_stored(struct lc_unit *unit, int number, lc_literal eighths)
{
    uint32_t *at = &unit->stored[number][eighths / 8];

    if (!*at) /* 0: not stored yet, as offset 0 holds the text */
        *at = lc_unit_real(unit, number == 0 ? LC_FLOAT : LC_DOUBLE, eighths);
    return *at;
}

/* ---- symbols ---- */

static uint32_t symbol_add(struct lc_unit *unit, const char *name, size_t length)
{
    unit->symbol[unit->symbols] = (struct lc_elf_symbol){
        .name = (uint32_t)unit->names.len, .length = (uint32_t)length, .slot = LC_NONE};
    lc_buf_add(&unit->names, name, length + 1);
    return unit->symbols++;
}

static uint32_t named_add(struct lc_unit *unit, const char *name)
{
    return symbol_add(unit, name, strlen(name));
}

/* Open addressing; the key is the call's target, never 0. */
static uint32_t *import_place(struct lc_unit *unit, uint64_t key)
{
    uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 40) & unit->import_mask;

    while (unit->import_key[at] && unit->import_key[at] != key)
        at = (at + 1) & unit->import_mask;
    if (!unit->import_key[at])
        unit->import[at] = LC_NONE;
    unit->import_key[at] = key;
    return &unit->import[at];
}

static uint32_t import_add(struct lc_unit *unit, const struct lc_model_call *call)
{
    bool is_extern = call->target == LC_CALL_EXTERN;
    uint32_t symbol;

    if (is_extern) {
        symbol = named_add(unit, lc_name_extern(call->lib.index).s);
    } else {
        char name[LC_NAME_SIZE];
        symbol =
            symbol_add(unit, name, lc_name_write(unit->model, call->lib, call->function, name));
    }
    unit->symbol[symbol].line = LINE_DECLARATIONS - 1 + unit->declared;
    unit->symbol[symbol].lib = call->lib.index;
    unit->symbol[symbol].function = is_extern ? LC_NONE : call->function;
    return symbol;
}

/* The number of the symbol that a call leads to; the symbol is added if it is new. */
static uint32_t symbol_of(struct lc_unit *unit, const struct lc_model_call *call)
{
    bool own = call->lib.kind == unit->lib.kind && call->lib.index == unit->lib.index;

    if (call->target == LC_CALL_FUNCTION && own)
        return call->function;
    uint32_t *number = import_place(unit, ((uint64_t)call->target << 60) |
                                              ((uint64_t)call->lib.index << 32) | call->function);
    if (*number == LC_NONE)
        *number = import_add(unit, call);
    return *number;
}

uint32_t lc_unit_target(struct lc_unit *unit, const struct lc_model_call *call)
{
    unit->declared++; /* emit_c.c declares once per call, in this order */
    return symbol_of(unit, call);
}

/* The order of symbols is: own functions, start functions, imports. So the number of an own
 * function is also that of its symbol. */
static void add_own(struct lc_unit *unit, uint32_t functions)
{
    char name[LC_NAME_SIZE];

    for (uint32_t i = 0; i < functions; i++)
        symbol_add(unit, name, lc_name_write(unit->model, unit->lib, i, name));
}

static void add_start(struct lc_unit *unit)
{
    static const char *const name[LC_START_SYMBOLS] = {
        "__cxa_finalize", "_ITM_registerTMCloneTable", "_ITM_deregisterTMCloneTable",
        "__gmon_start__"};

    unit->own = unit->symbols;
    unit->start = unit->symbols;
    if (unit->is_static)
        return;
    for (int i = 0; i < LC_START_SYMBOLS; i++)
        unit->symbol[named_add(unit, name[i])].weak = true;
    unit->symbol[unit->start + LC_START_FINALIZE].libc = true;
    unit->machine->start(unit);
    unit->line = 0; /* start functions have no source */
    lc_buf_clear(&unit->lines);
}

/* ---- functions ---- */

static void function_begin(struct lc_unit *unit, uint32_t symbol)
{
    while (unit->text.len % unit->machine->code_align)
        lc_buf_putc(&unit->text, 0);
    unit->symbol[symbol].value = (uint32_t)unit->text.len;
    unit->symbol[symbol].line = unit->line;
    lc_unit_line(unit, 1, LC_COLUMN_EDGE);
}

static void function_end(struct lc_unit *unit, uint32_t symbol, enum lc_frame_shape shape)
{
    struct lc_elf_symbol *s = &unit->symbol[symbol];

    s->size = (uint32_t)unit->text.len - s->value;
    unit->line += 2;
    unit->frame[unit->frames++] = (struct lc_frame){s->value, s->size, shape};
}

/* Adds the name that a function prints to .rodata; returns its offset. */
static uint32_t printed_name(struct lc_unit *unit, uint32_t number)
{
    const struct lc_elf_symbol *s = &unit->symbol[number];
    uint32_t at = (uint32_t)unit->rodata.len;

    if (!unit->model->config.prints)
        return LC_NONE;
    lc_buf_add(&unit->rodata, unit->names.data + s->name, s->length + 1);
    return at;
}

/* Records which functions are called, for the debug information. */
static void note_calls(struct lc_unit *unit, struct lc_elf_symbol *s, const struct lc_function *f)
{
    s->loop = f->loop.target ? symbol_of(unit, &f->loop) : LC_NONE;
    s->next = f->next.target ? symbol_of(unit, &f->next) : LC_NONE;
    s->loop_start = unit->loop_start;
    s->loop_end = unit->loop_end;
}

static void functions_add(struct lc_unit *unit, uint32_t functions)
{
    struct lc_function f;

    for (uint32_t i = 0; i < functions; i++) {
        lc_model_function(unit->model, unit->lib, i, &f);
        function_begin(unit, i);
        unit->machine->function(unit, &f, printed_name(unit, i));
        function_end(unit, i, LC_FRAME_PLAIN);
        if (unit->has_lines)
            note_calls(unit, &unit->symbol[i], &f);
    }
}

static void pointer_add(struct lc_unit *unit, uint32_t place, enum lc_pointer_kind kind,
                        uint32_t target)
{
    unit->pointer[unit->pointers++] = (struct lc_pointer){place, target, kind};
}

static uint32_t text_add(struct lc_unit *unit, const char *text)
{
    uint32_t at = (uint32_t)unit->rodata.len;

    lc_buf_add(&unit->rodata, text, strlen(text) + 1);
    return at;
}

/* The method table and the definition, as emit_c_python.c declares them. */
static void python_data_add(struct lc_unit *unit, const char *method, uint32_t entry)
{
    const uint32_t flags = METH_NOARGS;
    const uint64_t references = 1;

    while (unit->data.len % 32)
        lc_buf_putc(&unit->data, 0);
    uint32_t methods = (uint32_t)unit->data.len;
    uint32_t definition = methods + 2 * METHOD_BYTES;
    char *room = lc_buf_extend(&unit->data, 2 * METHOD_BYTES + DEFINITION_BYTES);
    if (!room)
        return;
    memcpy(room + 16, &flags, sizeof(flags));
    memcpy(room + 2 * METHOD_BYTES, &references, sizeof(references));
    pointer_add(unit, methods, LC_POINTER_RODATA, text_add(unit, method));
    pointer_add(unit, methods + 8, LC_POINTER_SYMBOL, entry);
    pointer_add(unit, definition + DEFINITION_NAME, LC_POINTER_RODATA, text_add(unit, unit->name));
    pointer_add(unit, definition + DEFINITION_METHODS, LC_POINTER_DATA, methods);
    unit->definition = definition;
}

/* 'entry' is the symbol of py_..._entry; that of PyInit_... is the next. */
static void python_add(struct lc_unit *unit, const char *method, uint32_t entry, uint32_t visit)
{
    unit->py_long = named_add(unit, "PyLong_FromUnsignedLong");
    unit->py_init = named_add(unit, "PyModuleDef_Init");
    unit->symbol[unit->py_long].weak = unit->symbol[unit->py_init].weak = true;
    python_data_add(unit, method, entry);
    unit->line += LINES_PYTHON;
    function_begin(unit, entry);
    unit->machine->entry(unit, visit);
    function_end(unit, entry, LC_FRAME_SMALL);
    unit->line += 3; /* the method table and the definition */
    function_begin(unit, entry + 1);
    unit->machine->init(unit);
    function_end(unit, entry + 1, LC_FRAME_SMALL);
}

static uint32_t python_symbols_add(struct lc_unit *unit, const char *method)
{
    char name[LC_NAME_SIZE];

    snprintf(name, sizeof(name), "py_%s", method);
    uint32_t entry = named_add(unit, name);
    snprintf(name, sizeof(name), "PyInit_%s", unit->name);
    named_add(unit, name);
    return entry;
}

static void add_module_end(struct lc_unit *unit, uint32_t functions, const char *method)
{
    uint32_t module = unit->lib.index, next = functions;

    if (unit->model->config.externs) {
        function_begin(unit, next);
        unit->machine->outer(unit, lc_model_extern_start(unit->model, module));
        function_end(unit, next++, LC_FRAME_SMALL);
    }
    function_begin(unit, next);
    unit->machine->visit(unit);
    function_end(unit, next, LC_FRAME_FULL);
    python_add(unit, method, next + 1, next);
}

static void puts_add(struct lc_unit *unit)
{
    if (!unit->model->config.prints)
        return;
    unit->puts = named_add(unit, "puts");
    unit->symbol[unit->puts].libc = true;
}

/* ---- a whole unit ---- */

static int unit_open(struct lc_unit *unit, uint32_t functions, size_t entries)
{
    size_t imports = functions + entries;
    uint32_t slots = 64;

    while (slots < 2 * imports)
        slots *= 2;
    unit->import_mask = slots - 1;
    unit->symbol = calloc(functions + imports + OTHER_SYMBOLS, sizeof(*unit->symbol));
    unit->ref = calloc((size_t)functions * REFS_PER_FUNCTION + entries * REFS_PER_CALL + REFS_ELSE,
                       sizeof(*unit->ref));
    unit->frame = calloc(functions + OTHER_SYMBOLS, sizeof(*unit->frame));
    unit->import = calloc(slots, sizeof(*unit->import));
    unit->import_key = calloc(slots, sizeof(*unit->import_key));
    if (!unit->symbol || !unit->ref || !unit->frame || !unit->import || !unit->import_key)
        return -1;
    lc_buf_add(&unit->names, "", 1);
    lc_buf_add(&unit->rodata, lc_text(), LC_TEXT_LEN + 1);
    if (!unit->is_static) { /* __dso_handle, which points to itself */
        lc_buf_extend(&unit->data, 8);
        pointer_add(unit, 0, LC_POINTER_DATA, 0);
    }
    return 0;
}

/* Converts line numbers to those of the whole file. */
static void place_lines(struct lc_unit *unit)
{
    struct lc_line_row *row = (struct lc_line_row *)unit->lines.data;
    bool is_hook = unit->lib.index == UINT32_MAX;
    uint32_t first =
        is_hook ? LINE_HOOK : LINE_DECLARATIONS + unit->declared + unit->model->config.prints + 1;

    unit->last_line = first + unit->line;
    for (uint32_t i = 0; i < unit->own; i++)
        unit->symbol[i].line += first;
    for (size_t i = 0; i < unit->lines.len / sizeof(*row); i++)
        row[i].line += first;
}

static int unit_close(struct lc_unit *unit)
{
    place_lines(unit);
    if (!(unit->text.failed | unit->rodata.failed | unit->data.failed | unit->names.failed |
          unit->init.failed | unit->fini.failed | unit->lines.failed))
        return 0;
    errno = ENOMEM;
    return -1;
}

static void start_unit(struct lc_unit *unit, const struct lc_machine *machine,
                       const struct lc_model *model, enum lc_unit_kind kind)
{
    *unit = (struct lc_unit){.model = model,
                             .machine = machine,
                             .is_static = kind == LC_UNIT_STATIC,
                             .has_lines = kind == LC_UNIT_DEBUG,
                             .lib = {LC_LIB_MODULE, UINT32_MAX},
                             .puts = LC_NONE,
                             .py_long = LC_NONE,
                             .py_init = LC_NONE};
}

int lc_unit_lib(struct lc_unit *unit, const struct lc_machine *machine,
                const struct lc_model *model, struct lc_lib lib, enum lc_unit_kind kind)
{
    uint32_t functions = lc_model_functions(model, lib);
    bool module = lib.kind == LC_LIB_MODULE;
    struct lc_symbol_name name = lc_name_lib(lib);
    char method[80];

    start_unit(unit, machine, model, kind);
    unit->lib = lib;
    unit->name = name.s;
    if (unit_open(unit, functions, module ? lc_model_entry_calls(model, lib.index) : 0) < 0)
        return -1;
    snprintf(method, sizeof(method), "%.64s_entry", name.s);
    add_own(unit, functions);
    if (module && model->config.externs)
        named_add(unit, lc_name_extern(lib.index).s);
    if (module) {
        named_add(unit, lc_name_visit(lib.index).s);
        python_symbols_add(unit, method);
    }
    add_start(unit);
    puts_add(unit);
    functions_add(unit, functions);
    if (module)
        add_module_end(unit, functions, method);
    unit->name = NULL;
    return unit_close(unit);
}

int lc_unit_hook(struct lc_unit *unit, const struct lc_machine *machine,
                 const struct lc_model *model, const char *module, const char *method,
                 enum lc_unit_kind kind)
{
    start_unit(unit, machine, model, kind);
    unit->name = module;
    if (unit_open(unit, 0, 0) < 0)
        return -1;
    uint32_t entry = python_symbols_add(unit, method);
    add_start(unit);
    python_add(unit, method, entry, LC_NONE);
    return unit_close(unit);
}

void lc_unit_free(struct lc_unit *unit)
{
    struct lc_buf *all[] = {&unit->text, &unit->init,  &unit->fini, &unit->rodata,
                            &unit->data, &unit->names, &unit->lines};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        lc_buf_free(all[i]);
    free(unit->symbol);
    free(unit->ref);
    free(unit->frame);
    free(unit->import);
    free(unit->import_key);
    *unit = (struct lc_unit){0};
}
