/* SPDX-License-Identifier: MIT */
/* elf_dwarf_function.c - .debug_info: functions, their parameters and variables */
#include "gen/elf_dwarf_private.h"

#include "gen/elf_machine.h"
#include "gen/name.h"

static void location_put(struct lc_buf *info, int from_cfa)
{
    size_t length = info->len;

    put8(info, 0);
    put8(info, DW_OP_fbreg);
    put_signed(info, from_cfa);
    if (!info->failed)
        info->data[length] = (char)(info->len - length - 1);
}

static void variable_add(struct lc_dwarf_maker *m, unsigned kind, const char *name, uint32_t line,
                         size_t column, enum lc_dwarf_type type, int from_cfa)
{
    struct lc_buf *info = &m->out->info;

    put8(info, kind);
    put_text(info, name);
    lc_dwarf_place_put(m, line, column);
    put32(info, m->type[type]);
    if (kind != UNUSED)
        location_put(info, from_cfa);
}

/* The variable that holds a call's result. */
static void result_add(struct lc_dwarf_maker *m, uint32_t callee, uint32_t line, size_t column,
                       int from_cfa)
{
    const struct lc_elf_symbol *s = &m->unit->symbol[callee];
    struct lc_buf *info = &m->out->info, *str = &m->out->str;

    if (!m->result[callee]) {
        m->result[callee] = (uint32_t)str->len;
        lc_buf_add(str, m->unit->names.data + s->name, s->length);
        lc_buf_add(str, LC_RESULT_SUFFIX, sizeof(LC_RESULT_SUFFIX));
    }
    put8(info, RESULT);
    put32(info, m->result[callee]);
    lc_dwarf_place_put(m, line, column);
    put32(info, m->type[UNSIGNED]);
    location_put(info, from_cfa);
}

/* Adds the head of a function; returns where the offset of its sibling is to be filled in. */
static size_t function_open(struct lc_dwarf_maker *m, uint32_t number, enum lc_dwarf_type result,
                            size_t column)
{
    const struct lc_elf_symbol *s = &m->unit->symbol[number];
    struct lc_buf *info = &m->out->info;

    put8(info, FUNCTION);
    put32(info, s->name);
    lc_dwarf_place_put(m, s->line, column);
    put32(info, m->type[result]);
    put64(info, m->text + s->value);
    put64(info, s->size);
    put8(info, 1);
    put8(info, DW_OP_call_frame_cfa);
    put32(info, 0);
    return info->len - 4;
}

static void function_close(struct lc_dwarf_maker *m, size_t sibling)
{
    struct lc_buf *info = &m->out->info;

    put8(info, 0);
    uint32_t here = (uint32_t)info->len;
    if (!info->failed)
        memcpy(info->data + sibling, &here, sizeof(here));
}

/* Letters in front of a name that is declared with a type, as emit_c.c writes it. */
static size_t type_width(enum lc_type type)
{
    static const unsigned char width[LC_TYPES] = {sizeof("int"), sizeof("long"), sizeof("float"),
                                                  sizeof("double"), sizeof("char ")};

    return width[type];
}

static void parameters_add(struct lc_dwarf_maker *m, uint32_t number,
                           const struct lc_signature *sig)
{
    static const char name[LC_MOST_ARGS][3] = {"a0", "a1", "a2", "a3", "a4"};
    const struct lc_machine *machine = m->unit->machine;
    const struct lc_elf_symbol *s = &m->unit->symbol[number];
    size_t column = type_width(sig->result) + s->length + sizeof("(");

    for (unsigned i = 0; i < sig->args; i++) {
        column += type_width(sig->arg[i]);
        variable_add(m, PARAMETER, name[i], s->line, column, (enum lc_dwarf_type)sig->arg[i],
                     machine->debug_args + machine->debug_step * (int)i);
        column += strlen("a0, ");
    }
}

/* Lines and columns are those of emit_c.c's locals_add(). */
static void locals_add(struct lc_dwarf_maker *m, uint32_t line)
{
    static const char bytes[4][3] = {"b0", "b1", "b2", "b3"}, shorts[2][3] = {"s0", "s1"};
    const struct lc_machine *machine = m->unit->machine;
    int array = machine->debug_arrays;

    variable_add(m, VARIABLE, "h", line + 2, 14, UNSIGNED, machine->debug_h);
    variable_add(m, VARIABLE, "i", line + 3, 9, INT, machine->debug_i);
    variable_add(m, UNUSED, "j", line + 3, 12, INT, 0);
    variable_add(m, UNUSED, "k", line + 3, 15, INT, 0);
    variable_add(m, VARIABLE, "f", line + 4, 11, FLOAT, machine->debug_f);
    variable_add(m, UNUSED, "g", line + 4, 23, FLOAT, 0);
    variable_add(m, VARIABLE, "d", line + 5, 12, DOUBLE, machine->debug_d);
    variable_add(m, UNUSED, "e", line + 5, 23, DOUBLE, 0);
    for (int i = 0; i < 4; i++, array += LC_ARRAY_BYTES)
        variable_add(m, VARIABLE, bytes[i], line + 6, 10 + 8 * (size_t)i, CHARS, array);
    for (int i = 0; i < 2; i++, array += LC_ARRAY_BYTES)
        variable_add(m, VARIABLE, shorts[i], line + 7, 11 + 8 * (size_t)i, SHORTS, array);
}

static void function_add(struct lc_dwarf_maker *m, uint32_t number)
{
    const struct lc_machine *machine = m->unit->machine;
    const struct lc_elf_symbol *s = &m->unit->symbol[number];
    struct lc_signature sig = lc_model_signature(m->unit->model, m->unit->lib, number);
    uint32_t loop = s->line + 9 + m->unit->model->config.prints + sig.args;
    size_t sibling =
        function_open(m, number, (enum lc_dwarf_type)sig.result, type_width(sig.result) + 1);

    parameters_add(m, number, &sig);
    locals_add(m, s->line);
    if (s->loop != LC_NONE) {
        put8(&m->out->info, BLOCK);
        put64(&m->out->info, m->text + s->loop_start);
        put64(&m->out->info, s->loop_end - s->loop_start);
        result_add(m, s->loop, loop + 1, 18, machine->debug_loop);
        put8(&m->out->info, 0);
    }
    if (s->next != LC_NONE)
        result_add(m, s->next, loop + (s->loop == LC_NONE ? 3 : 4), 14, machine->debug_next);
    function_close(m, sibling);
}

/* The functions at the end of a module, counted from the last: PyInit_..., py_..._entry, ..._visit,
 * ..._extern. */
static void other_function_add(struct lc_dwarf_maker *m, uint32_t number)
{
    uint32_t from_last = m->unit->own - 1 - number;
    size_t sibling =
        function_open(m, number, from_last < 2 ? VOIDP : UNSIGNED, from_last < 2 ? 7 : 10);

    if (from_last == 2)
        variable_add(m, VARIABLE, "h", m->unit->symbol[number].line + 2, 14, UNSIGNED,
                     m->unit->machine->debug_visit_h);
    function_close(m, sibling);
}

/* The declaration of a function of another library, by its type. */
static void declaration_add(struct lc_dwarf_maker *m, const struct lc_elf_symbol *s)
{
    struct lc_buf *info = &m->out->info;
    struct lc_lib lib = {LC_LIB_UTILITY, s->lib};
    struct lc_signature sig = {LC_INT, 1, {LC_INT}};

    if (s->function != LC_NONE)
        sig = lc_model_signature(m->unit->model, lib, s->function);
    put8(info, DECLARATION);
    put32(info, s->name);
    lc_dwarf_place_put(m, s->line, s->function == LC_NONE ? 10 : type_width(sig.result) + 1);
    put32(info, m->type[s->function == LC_NONE ? UNSIGNED : (enum lc_dwarf_type)sig.result]);
    put32(info, 0);
    size_t sibling = info->len - 4;
    for (unsigned i = 0; i < sig.args; i++) {
        put8(info, PARAMETER_TYPE);
        put32(info, m->type[sig.arg[i]]);
    }
    function_close(m, sibling);
}

void lc_dwarf_functions(struct lc_dwarf_maker *m)
{
    const struct lc_unit *u = m->unit;
    bool hook = u->lib.index == UINT32_MAX;
    uint32_t functions = hook ? 0 : lc_model_functions(u->model, u->lib);

    for (uint32_t i = u->start; i < u->symbols; i++)
        if (u->symbol[i].line)
            declaration_add(m, &u->symbol[i]);
    for (uint32_t i = 0; i < u->own; i++) {
        if (i < functions)
            function_add(m, i);
        else
            other_function_add(m, i);
    }
}
