/* SPDX-License-Identifier: MIT */
/* elf_dwarf_abbrev.c - .debug_abbrev: which attributes each kind of entry has */
#include "gen/elf_dwarf_private.h"

enum { FORM_LINE = 0xffff }; /* DW_FORM_data2 or DW_FORM_data4 */

/* Kind, tag, has children; then pairs of attribute and form, which end with two zeros. */
/* clang-format off */
static const uint16_t abbreviations[] = {
    UNIT, DW_TAG_compile_unit, 1,
        DW_AT_producer, DW_FORM_strp, DW_AT_language, DW_FORM_data1,
        DW_AT_name, DW_FORM_line_strp, DW_AT_comp_dir, DW_FORM_line_strp,
        DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8,
        DW_AT_stmt_list, DW_FORM_sec_offset, 0, 0,
    BASE_TYPE, DW_TAG_base_type, 0,
        DW_AT_byte_size, DW_FORM_data1, DW_AT_encoding, DW_FORM_data1, DW_AT_name, DW_FORM_string,
        0, 0,
    POINTER, DW_TAG_pointer_type, 0,
        DW_AT_byte_size, DW_FORM_data1, DW_AT_type, DW_FORM_ref4, 0, 0,
    VOID_POINTER, DW_TAG_pointer_type, 0,
        DW_AT_byte_size, DW_FORM_data1, 0, 0,
    ARRAY, DW_TAG_array_type, 1,
        DW_AT_type, DW_FORM_ref4, 0, 0,
    BOUND, DW_TAG_subrange_type, 0,
        DW_AT_type, DW_FORM_ref4, DW_AT_upper_bound, DW_FORM_data1, 0, 0,
    FUNCTION, DW_TAG_subprogram, 1,
        DW_AT_external, DW_FORM_flag_present, DW_AT_name, DW_FORM_strp,
        DW_AT_decl_file, DW_FORM_implicit_const, 1, DW_AT_decl_line, FORM_LINE,
        DW_AT_decl_column, DW_FORM_data1, DW_AT_prototyped, DW_FORM_flag_present,
        DW_AT_type, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8,
        DW_AT_frame_base, DW_FORM_exprloc, DW_AT_sibling, DW_FORM_ref4, 0, 0,
    PARAMETER, DW_TAG_formal_parameter, 0,
        DW_AT_name, DW_FORM_string, DW_AT_decl_file, DW_FORM_implicit_const, 1,
        DW_AT_decl_line, FORM_LINE, DW_AT_decl_column, DW_FORM_data1, DW_AT_type, DW_FORM_ref4,
        DW_AT_location, DW_FORM_exprloc, 0, 0,
    VARIABLE, DW_TAG_variable, 0,
        DW_AT_name, DW_FORM_string, DW_AT_decl_file, DW_FORM_implicit_const, 1,
        DW_AT_decl_line, FORM_LINE, DW_AT_decl_column, DW_FORM_data1, DW_AT_type, DW_FORM_ref4,
        DW_AT_location, DW_FORM_exprloc, 0, 0,
    UNUSED, DW_TAG_variable, 0,
        DW_AT_name, DW_FORM_string, DW_AT_decl_file, DW_FORM_implicit_const, 1,
        DW_AT_decl_line, FORM_LINE, DW_AT_decl_column, DW_FORM_data1, DW_AT_type, DW_FORM_ref4,
        0, 0,
    RESULT, DW_TAG_variable, 0,
        DW_AT_name, DW_FORM_strp, DW_AT_decl_file, DW_FORM_implicit_const, 1,
        DW_AT_decl_line, FORM_LINE, DW_AT_decl_column, DW_FORM_data1, DW_AT_type, DW_FORM_ref4,
        DW_AT_location, DW_FORM_exprloc, 0, 0,
    BLOCK, DW_TAG_lexical_block, 1,
        DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, 0, 0,
    DECLARATION, DW_TAG_subprogram, 1,
        DW_AT_external, DW_FORM_flag_present, DW_AT_name, DW_FORM_strp,
        DW_AT_decl_file, DW_FORM_implicit_const, 1, DW_AT_decl_line, FORM_LINE,
        DW_AT_decl_column, DW_FORM_data1, DW_AT_prototyped, DW_FORM_flag_present,
        DW_AT_type, DW_FORM_ref4, DW_AT_declaration, DW_FORM_flag_present,
        DW_AT_sibling, DW_FORM_ref4, 0, 0,
    PARAMETER_TYPE, DW_TAG_formal_parameter, 0,
        DW_AT_type, DW_FORM_ref4, 0, 0,
    0,
};
/* clang-format on */

void lc_dwarf_abbreviations(const struct lc_dwarf_maker *m)
{
    unsigned line = m->is_long ? DW_FORM_data4 : DW_FORM_data2;

    for (size_t i = 0; i < sizeof(abbreviations) / sizeof(*abbreviations); i++)
        put_unsigned(&m->out->abbrev, abbreviations[i] == FORM_LINE ? line : abbreviations[i]);
}
