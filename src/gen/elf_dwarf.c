/* SPDX-License-Identifier: MIT */
/* elf_dwarf.c - debug information of one library */
#include "gen/elf_dwarf.h"

#include "config.h"
#include "gen/elf_dwarf_put.h"
#include "gen/elf_machine.h"

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
    DECLARATION,
    PARAMETER_TYPE
};

/* Types that functions and variables have, and where in .debug_info they are. */
enum type { INT, LONG, FLOAT, DOUBLE, STRING, UNSIGNED, CHAR, VOIDP, FLOATS, DOUBLES, TEXT, TYPES };

struct maker {
    struct lc_dwarf *out;
    const struct lc_unit *unit;
    uint64_t text, rodata;
    uint32_t type[TYPES];
};

/* ---- .debug_abbrev ---- */

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
    DW_FORM_data1,
    DW_AT_decl_line,
    DW_FORM_data4,
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
    DW_FORM_data1,
    DW_AT_decl_line,
    DW_FORM_data4,
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
    DW_FORM_data1,
    DW_AT_decl_line,
    DW_FORM_data4,
    DW_AT_type,
    DW_FORM_ref4,
    DW_AT_location,
    DW_FORM_exprloc,
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
    DW_FORM_data1,
    DW_AT_decl_line,
    DW_FORM_data4,
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

static void add_abbreviations(struct lc_buf *out)
{
    for (size_t i = 0; i < sizeof(abbreviations) / sizeof(*abbreviations); i++)
        put_unsigned(out, abbreviations[i]);
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
    m->type[STRING] = (uint32_t)info->len;
    put8(info, POINTER);
    put8(info, 8);
    put32(info, m->type[CHAR]);
    m->type[VOIDP] = (uint32_t)info->len;
    put8(info, VOID_POINTER);
    put8(info, 8);
    add_array(m, FLOATS, FLOAT, 20);
    add_array(m, DOUBLES, DOUBLE, 15);
    add_array(m, TEXT, CHAR, LC_TEXT_LEN);
}

/* ---- .debug_info: functions ---- */

static void add_variable(struct maker *m, unsigned kind, const char *name, uint32_t line,
                         enum type type, int from_cfa)
{
    struct lc_buf *info = &m->out->info;

    put8(info, kind);
    put_text(info, name);
    put8(info, 1);
    put32(info, line);
    put32(info, m->type[type]);
    size_t length = info->len;
    put8(info, 0);
    put8(info, DW_OP_fbreg);
    put_signed(info, from_cfa);
    if (!info->failed)
        info->data[length] = (char)(info->len - length - 1);
}

/* The head of a function; where its sibling is to be filled in. */
static size_t open_function(struct maker *m, uint32_t number, enum type result)
{
    const struct lc_symbol *s = &m->unit->symbol[number];
    struct lc_buf *info = &m->out->info;

    put8(info, FUNCTION);
    put32(info, s->name);
    put8(info, 1);
    put32(info, s->line);
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

static void add_function(struct maker *m, uint32_t number)
{
    static const char name[LC_MOST_ARGS][3] = {"a0", "a1", "a2", "a3", "a4"};
    const struct lc_machine *machine = m->unit->machine;
    struct lc_signature sig = lc_model_signature(m->unit->model, m->unit->lib, number);
    uint32_t line = m->unit->symbol[number].line;
    size_t sibling = open_function(m, number, (enum type)sig.result);

    for (unsigned i = 0; i < sig.args; i++)
        add_variable(m, PARAMETER, name[i], line, (enum type)sig.arg[i],
                     machine->debug_args + machine->debug_step * (int)i);
    add_variable(m, VARIABLE, "f", line + 2, FLOATS, machine->debug_f);
    add_variable(m, VARIABLE, "d", line + 3, DOUBLES, machine->debug_d);
    add_variable(m, VARIABLE, "h", line + 4, UNSIGNED, machine->debug_h);
    add_variable(m, VARIABLE, "i", line + 5, INT, machine->debug_i);
    close_function(m, sibling);
}

/* ..._extern, ..._visit, py_..._entry, PyInit_...: from the last backwards. */
static void add_other(struct maker *m, uint32_t number)
{
    uint32_t from_last = m->unit->own - 1 - number;
    size_t sibling = open_function(m, number, from_last < 2 ? VOIDP : UNSIGNED);

    if (from_last == 2)
        add_variable(m, VARIABLE, "h", m->unit->symbol[number].line + 2, UNSIGNED,
                     m->unit->machine->debug_h);
    close_function(m, sibling);
}

/* A function of another library: its type. */
static void add_declaration(struct maker *m, const struct lc_symbol *s)
{
    struct lc_buf *info = &m->out->info;
    struct lc_lib lib = {LC_LIB_UTILITY, s->lib};
    struct lc_signature sig = {LC_INT, 1, {LC_INT}};

    if (s->function != LC_NONE)
        sig = lc_model_signature(m->unit->model, lib, s->function);
    put8(info, DECLARATION);
    put32(info, s->name);
    put8(info, 1);
    put32(info, s->line);
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
        return; /* a hook has none in its source */
    put8(info, VARIABLE);
    put_text(info, "text");
    put8(info, 1);
    put32(info, 2);
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
    struct maker m = {.out = out, .unit = unit, .text = text, .rodata = rodata};

    *out = (struct lc_dwarf){0};
    lc_buf_add(&out->str, unit->names.data, unit->names.len);
    uint32_t producer = (uint32_t)out->str.len;
    put_text(&out->str, "loadcast gen " LC_VERSION);
    lc_buf_add(&out->line_str, ".", 2);
    lc_buf_printf(&out->line_str, "%s.c", name);
    lc_buf_putc(&out->line_str, '\0');
    add_abbreviations(&out->abbrev);
    add_info(&m, producer);
    lc_dwarf_lines(&out->line, unit, text);
    add_aranges(&m);
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
