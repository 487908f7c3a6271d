/* SPDX-License-Identifier: MIT */
/* elf_dwarf.c - debug information of one library */
#include "gen/elf_dwarf.h"

#include <stdlib.h>

#include "config.h"
#include "gen/elf_dwarf_put.h"
#include "gen/elf_machine.h"
#include "gen/name.h"

/* Kinds of entries, by number in .debug_abbrev. */
enum {
    UNIT = 1,
    BASE_TYPE,
    POINTER,
    VOID_POINTER,
    ARRAY,
    BOUND,
    FUNCTION,
    PARAMETER,
    VARIABLE,
    UNUSED, /* a variable without a location */
    RESULT, /* a variable with a long name */
    BLOCK,
    DECLARATION,
    PARAMETER_TYPE
};

/* Types that functions and variables have, and where in .debug_info they are. */
enum type {
    INT,
    LONG,
    FLOAT,
    DOUBLE,
    STRING,
    UNSIGNED,
    CHAR,
    SHORT,
    VOIDP,
    CHARS,
    SHORTS,
    TEXT,
    TYPES
};

struct maker {
    struct lc_dwarf *out;
    const struct lc_unit *unit;
    uint64_t text, rodata;
    uint32_t type[TYPES];
    uint32_t *result; /* by symbol: where its name with LC_RESULT_SUFFIX is in .debug_str, or 0 */
    bool is_long;     /* more lines than 16 bits count */
};

/* ---- .debug_abbrev ---- */

enum { FORM_LINE = 0xffff }; /* DW_FORM_data2 or DW_FORM_data4 */

/* clang-format off: an entry to a paragraph */
static const uint16_t abbreviations[] = {
    UNIT,
    DW_TAG_compile_unit,
    1,
    DW_AT_producer,
    DW_FORM_strp,
    DW_AT_language,
    DW_FORM_data1,
    DW_AT_name,
    DW_FORM_line_strp,
    DW_AT_comp_dir,
    DW_FORM_line_strp,
    DW_AT_low_pc,
    DW_FORM_addr,
    DW_AT_high_pc,
    DW_FORM_data8,
    DW_AT_stmt_list,
    DW_FORM_sec_offset,
    0,
    0,
    BASE_TYPE,
    DW_TAG_base_type,
    0,
    DW_AT_byte_size,
    DW_FORM_data1,
    DW_AT_encoding,
    DW_FORM_data1,
    DW_AT_name,
    DW_FORM_string,
    0,
    0,
    POINTER,
    DW_TAG_pointer_type,
    0,
    DW_AT_byte_size,
    DW_FORM_data1,
    DW_AT_type,
    DW_FORM_ref4,
    0,
    0,
    VOID_POINTER,
    DW_TAG_pointer_type,
    0,
    DW_AT_byte_size,
    DW_FORM_data1,
    0,
    0,
    ARRAY,
    DW_TAG_array_type,
    1,
    DW_AT_type,
    DW_FORM_ref4,
    0,
    0,
    BOUND,
    DW_TAG_subrange_type,
    0,
    DW_AT_type,
    DW_FORM_ref4,
    DW_AT_upper_bound,
    DW_FORM_data1,
    0,
    0,
    FUNCTION,
    DW_TAG_subprogram,
    1,
    DW_AT_external,
    DW_FORM_flag_present,
    DW_AT_name,
    DW_FORM_strp,
    DW_AT_decl_file,
    DW_FORM_implicit_const,
    1,
    DW_AT_decl_line,
    FORM_LINE,
    DW_AT_decl_column,
    DW_FORM_data1,
    DW_AT_prototyped,
    DW_FORM_flag_present,
    DW_AT_type,
    DW_FORM_ref4,
    DW_AT_low_pc,
    DW_FORM_addr,
    DW_AT_high_pc,
    DW_FORM_data8,
    DW_AT_frame_base,
    DW_FORM_exprloc,
    DW_AT_sibling,
    DW_FORM_ref4,
    0,
    0,
    PARAMETER,
    DW_TAG_formal_parameter,
    0,
    DW_AT_name,
    DW_FORM_string,
    DW_AT_decl_file,
    DW_FORM_implicit_const,
    1,
    DW_AT_decl_line,
    FORM_LINE,
    DW_AT_decl_column,
    DW_FORM_data1,
    DW_AT_type,
    DW_FORM_ref4,
    DW_AT_location,
    DW_FORM_exprloc,
    0,
    0,
    VARIABLE,
    DW_TAG_variable,
    0,
    DW_AT_name,
    DW_FORM_string,
    DW_AT_decl_file,
    DW_FORM_implicit_const,
    1,
    DW_AT_decl_line,
    FORM_LINE,
    DW_AT_decl_column,
    DW_FORM_data1,
    DW_AT_type,
    DW_FORM_ref4,
    DW_AT_location,
    DW_FORM_exprloc,
    0,
    0,
    UNUSED,
    DW_TAG_variable,
    0,
    DW_AT_name,
    DW_FORM_string,
    DW_AT_decl_file,
    DW_FORM_implicit_const,
    1,
    DW_AT_decl_line,
    FORM_LINE,
    DW_AT_decl_column,
    DW_FORM_data1,
    DW_AT_type,
    DW_FORM_ref4,
    0,
    0,
    RESULT,
    DW_TAG_variable,
    0,
    DW_AT_name,
    DW_FORM_strp,
    DW_AT_decl_file,
    DW_FORM_implicit_const,
    1,
    DW_AT_decl_line,
    FORM_LINE,
    DW_AT_decl_column,
    DW_FORM_data1,
    DW_AT_type,
    DW_FORM_ref4,
    DW_AT_location,
    DW_FORM_exprloc,
    0,
    0,
    BLOCK,
    DW_TAG_lexical_block,
    1,
    DW_AT_low_pc,
    DW_FORM_addr,
    DW_AT_high_pc,
    DW_FORM_data8,
    0,
    0,
    DECLARATION,
    DW_TAG_subprogram,
    1,
    DW_AT_external,
    DW_FORM_flag_present,
    DW_AT_name,
    DW_FORM_strp,
    DW_AT_decl_file,
    DW_FORM_implicit_const,
    1,
    DW_AT_decl_line,
    FORM_LINE,
    DW_AT_decl_column,
    DW_FORM_data1,
    DW_AT_prototyped,
    DW_FORM_flag_present,
    DW_AT_type,
    DW_FORM_ref4,
    DW_AT_declaration,
    DW_FORM_flag_present,
    DW_AT_sibling,
    DW_FORM_ref4,
    0,
    0,
    PARAMETER_TYPE,
    DW_TAG_formal_parameter,
    0,
    DW_AT_type,
    DW_FORM_ref4,
    0,
    0,
    0,
};
/* clang-format on */

static void add_abbreviations(const struct maker *m)
{
    unsigned line = m->is_long ? DW_FORM_data4 : DW_FORM_data2;

    for (size_t i = 0; i < sizeof(abbreviations) / sizeof(*abbreviations); i++)
        put_unsigned(&m->out->abbrev, abbreviations[i] == FORM_LINE ? line : abbreviations[i]);
}

/* ---- .debug_info: types ---- */

static void add_base(struct maker *m, enum type type, unsigned bytes, unsigned encoding,
                     const char *name)
{
    struct lc_buf *info = &m->out->info;

    m->type[type] = (uint32_t)info->len;
    put8(info, BASE_TYPE);
    put8(info, bytes);
    put8(info, encoding);
    put_text(info, name);
}

static void add_array(struct maker *m, enum type type, enum type of, unsigned last)
{
    struct lc_buf *info = &m->out->info;

    m->type[type] = (uint32_t)info->len;
    put8(info, ARRAY);
    put32(info, m->type[of]);
    put8(info, BOUND);
    put32(info, m->type[LONG]);
    put8(info, last);
    put8(info, 0);
}

static void add_types(struct maker *m)
{
    struct lc_buf *info = &m->out->info;

    add_base(m, INT, 4, DW_ATE_signed, "int");
    add_base(m, UNSIGNED, 4, DW_ATE_unsigned, "unsigned int");
    add_base(m, LONG, 8, DW_ATE_signed, "long int");
    add_base(m, FLOAT, 4, DW_ATE_float, "float");
    add_base(m, DOUBLE, 8, DW_ATE_float, "double");
    add_base(m, CHAR, 1, DW_ATE_signed_char, "char");
    add_base(m, SHORT, 2, DW_ATE_signed, "short int");
    m->type[STRING] = (uint32_t)info->len;
    put8(info, POINTER);
    put8(info, 8);
    put32(info, m->type[CHAR]);
    m->type[VOIDP] = (uint32_t)info->len;
    put8(info, VOID_POINTER);
    put8(info, 8);
    add_array(m, CHARS, CHAR, 39);
    add_array(m, SHORTS, SHORT, 19);
    add_array(m, TEXT, CHAR, LC_TEXT_LEN);
}

/* ---- .debug_info: functions ---- */

/* File, line and column of a declaration. A value too large for its form is written as 0: unknown.
 */
static void put_place(const struct maker *m, uint32_t line, size_t column)
{
    struct lc_buf *info = &m->out->info;

    if (m->is_long)
        put32(info, line);
    else
        put16(info, (uint16_t)line);
    put8(info, column > 255 ? 0 : (unsigned)column);
}

static void put_location(struct lc_buf *info, int from_cfa)
{
    size_t length = info->len;

    put8(info, 0);
    put8(info, DW_OP_fbreg);
    put_signed(info, from_cfa);
    if (!info->failed)
        info->data[length] = (char)(info->len - length - 1);
}

static void add_variable(struct maker *m, unsigned kind, const char *name, uint32_t line,
                         size_t column, enum type type, int from_cfa)
{
    struct lc_buf *info = &m->out->info;

    put8(info, kind);
    put_text(info, name);
    put_place(m, line, column);
    put32(info, m->type[type]);
    if (kind != UNUSED)
        put_location(info, from_cfa);
}

/* The variable that holds a call's result. */
static void add_result(struct maker *m, uint32_t callee, uint32_t line, size_t column, int from_cfa)
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
    put_place(m, line, column);
    put32(info, m->type[UNSIGNED]);
    put_location(info, from_cfa);
}

/* Adds the head of a function; returns where the offset of its sibling is to be filled in. */
static size_t open_function(struct maker *m, uint32_t number, enum type result, size_t column)
{
    const struct lc_elf_symbol *s = &m->unit->symbol[number];
    struct lc_buf *info = &m->out->info;

    put8(info, FUNCTION);
    put32(info, s->name);
    put_place(m, s->line, column);
    put32(info, m->type[result]);
    put64(info, m->text + s->value);
    put64(info, s->size);
    put8(info, 1);
    put8(info, DW_OP_call_frame_cfa);
    put32(info, 0);
    return info->len - 4;
}

static void close_function(struct maker *m, size_t sibling)
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

static void add_parameters(struct maker *m, uint32_t number, const struct lc_signature *sig)
{
    static const char name[LC_MOST_ARGS][3] = {"a0", "a1", "a2", "a3", "a4"};
    const struct lc_machine *machine = m->unit->machine;
    const struct lc_elf_symbol *s = &m->unit->symbol[number];
    size_t column = type_width(sig->result) + s->length + sizeof("(");

    for (unsigned i = 0; i < sig->args; i++) {
        column += type_width(sig->arg[i]);
        add_variable(m, PARAMETER, name[i], s->line, column, (enum type)sig->arg[i],
                     machine->debug_args + machine->debug_step * (int)i);
        column += strlen("a0, ");
    }
}

/* Lines and columns are those of emit_c.c's add_locals(). */
static void add_locals(struct maker *m, uint32_t line)
{
    static const char bytes[4][3] = {"b0", "b1", "b2", "b3"}, shorts[2][3] = {"s0", "s1"};
    const struct lc_machine *machine = m->unit->machine;
    int array = machine->debug_arrays;

    add_variable(m, VARIABLE, "h", line + 2, 14, UNSIGNED, machine->debug_h);
    add_variable(m, VARIABLE, "i", line + 3, 9, INT, machine->debug_i);
    add_variable(m, UNUSED, "j", line + 3, 12, INT, 0);
    add_variable(m, UNUSED, "k", line + 3, 15, INT, 0);
    add_variable(m, VARIABLE, "f", line + 4, 11, FLOAT, machine->debug_f);
    add_variable(m, UNUSED, "g", line + 4, 23, FLOAT, 0);
    add_variable(m, VARIABLE, "d", line + 5, 12, DOUBLE, machine->debug_d);
    add_variable(m, UNUSED, "e", line + 5, 23, DOUBLE, 0);
    for (int i = 0; i < 4; i++, array += LC_ARRAY_BYTES)
        add_variable(m, VARIABLE, bytes[i], line + 6, 10 + 8 * (size_t)i, CHARS, array);
    for (int i = 0; i < 2; i++, array += LC_ARRAY_BYTES)
        add_variable(m, VARIABLE, shorts[i], line + 7, 11 + 8 * (size_t)i, SHORTS, array);
}

static void add_function(struct maker *m, uint32_t number)
{
    const struct lc_machine *machine = m->unit->machine;
    const struct lc_elf_symbol *s = &m->unit->symbol[number];
    struct lc_signature sig = lc_model_signature(m->unit->model, m->unit->lib, number);
    uint32_t loop = s->line + 9 + m->unit->model->config.prints + sig.args;
    size_t sibling = open_function(m, number, (enum type)sig.result, type_width(sig.result) + 1);

    add_parameters(m, number, &sig);
    add_locals(m, s->line);
    if (s->loop != LC_NONE) {
        put8(&m->out->info, BLOCK);
        put64(&m->out->info, m->text + s->loop_start);
        put64(&m->out->info, s->loop_end - s->loop_start);
        add_result(m, s->loop, loop + 1, 18, machine->debug_loop);
        put8(&m->out->info, 0);
    }
    if (s->next != LC_NONE)
        add_result(m, s->next, loop + (s->loop == LC_NONE ? 3 : 4), 14, machine->debug_next);
    close_function(m, sibling);
}

/* The functions at the end of a module, counted from the last: PyInit_..., py_..._entry, ..._visit,
 * ..._extern. */
static void add_other(struct maker *m, uint32_t number)
{
    uint32_t from_last = m->unit->own - 1 - number;
    size_t sibling =
        open_function(m, number, from_last < 2 ? VOIDP : UNSIGNED, from_last < 2 ? 7 : 10);

    if (from_last == 2)
        add_variable(m, VARIABLE, "h", m->unit->symbol[number].line + 2, 14, UNSIGNED,
                     m->unit->machine->debug_visit_h);
    close_function(m, sibling);
}

/* The declaration of a function of another library, by its type. */
static void add_declaration(struct maker *m, const struct lc_elf_symbol *s)
{
    struct lc_buf *info = &m->out->info;
    struct lc_lib lib = {LC_LIB_UTILITY, s->lib};
    struct lc_signature sig = {LC_INT, 1, {LC_INT}};

    if (s->function != LC_NONE)
        sig = lc_model_signature(m->unit->model, lib, s->function);
    put8(info, DECLARATION);
    put32(info, s->name);
    put_place(m, s->line, s->function == LC_NONE ? 10 : type_width(sig.result) + 1);
    put32(info, m->type[s->function == LC_NONE ? UNSIGNED : (enum type)sig.result]);
    put32(info, 0);
    size_t sibling = info->len - 4;
    for (unsigned i = 0; i < sig.args; i++) {
        put8(info, PARAMETER_TYPE);
        put32(info, m->type[sig.arg[i]]);
    }
    close_function(m, sibling);
}

static void add_functions(struct maker *m)
{
    const struct lc_unit *u = m->unit;
    bool hook = u->lib.index == UINT32_MAX;
    uint32_t functions = hook ? 0 : lc_model_functions(u->model, u->lib);

    for (uint32_t i = u->start; i < u->symbols; i++)
        if (u->symbol[i].line)
            add_declaration(m, &u->symbol[i]);
    for (uint32_t i = 0; i < u->own; i++) {
        if (i < functions)
            add_function(m, i);
        else
            add_other(m, i);
    }
}

/* The characters that strings point into. */
static void add_text(struct maker *m)
{
    struct lc_buf *info = &m->out->info;

    if (m->unit->lib.index == UINT32_MAX)
        return; /* the source of a hook module has no such array */
    put8(info, VARIABLE);
    put_text(info, "text");
    put_place(m, 2, 19);
    put32(info, m->type[TEXT]);
    put8(info, 9);
    put8(info, DW_OP_addr);
    put64(info, m->rodata);
}

static void add_info(struct maker *m, uint32_t producer)
{
    const struct lc_unit *u = m->unit;
    struct lc_buf *info = &m->out->info;

    put32(info, 0);
    put16(info, 5);
    put8(info, DW_UT_compile);
    put8(info, 8);
    put32(info, 0);
    put8(info, UNIT);
    put32(info, producer);
    put8(info, DW_LANG_C11);
    put32(info, 2); /* behind "." in .debug_line_str */
    put32(info, 0);
    put64(info, m->text + u->symbol[0].value);
    put64(info, u->text.len - u->symbol[0].value);
    put32(info, 0);
    add_types(m);
    add_text(m);
    add_functions(m);
    put8(info, 0);
    close_length(info, 0);
}

static void add_aranges(struct maker *m)
{
    struct lc_buf *out = &m->out->aranges;

    put32(out, 44);
    put16(out, 2);
    put32(out, 0);
    put8(out, 8);
    put8(out, 0);
    put32(out, 0);
    put64(out, m->text + m->unit->symbol[0].value);
    put64(out, m->unit->text.len - m->unit->symbol[0].value);
    put64(out, 0);
    put64(out, 0);
}

int lc_dwarf_make(struct lc_dwarf *out, const struct lc_unit *unit, const char *name, uint64_t text,
                  uint64_t rodata)
{
    struct maker m = {.out = out,
                      .unit = unit,
                      .text = text,
                      .rodata = rodata,
                      .is_long = unit->last_line > UINT16_MAX};

    *out = (struct lc_dwarf){0};
    lc_buf_add(&out->str, unit->names.data, unit->names.len);
    uint32_t producer = (uint32_t)out->str.len;
    put_text(&out->str, "loadcast gen " LC_VERSION);
    lc_buf_add(&out->line_str, ".", 2);
    lc_buf_printf(&out->line_str, "%s.c", name);
    lc_buf_putc(&out->line_str, '\0');
    m.result = calloc(unit->symbols, sizeof(*m.result));
    if (!m.result)
        return -1;
    add_abbreviations(&m);
    add_info(&m, producer);
    lc_dwarf_lines(&out->line, unit, text);
    add_aranges(&m);
    free(m.result);
    return out->info.failed | out->line.failed | out->str.failed | out->abbrev.failed |
                   out->line_str.failed | out->aranges.failed
               ? -1
               : 0;
}

void lc_dwarf_free(struct lc_dwarf *d)
{
    struct lc_buf *all[] = {&d->aranges, &d->info, &d->abbrev, &d->line, &d->str, &d->line_str};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        lc_buf_free(all[i]);
}
