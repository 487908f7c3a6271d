/* SPDX-License-Identifier: MIT */
/* elf_dwarf_codes.h - the numbers of DWARF 5 that gen uses, by their names in the standard */
#ifndef LC_GEN_ELF_DWARF_CODES_H
#define LC_GEN_ELF_DWARF_CODES_H

enum {
    DW_TAG_array_type = 0x01,
    DW_TAG_formal_parameter = 0x05,
    DW_TAG_lexical_block = 0x0b,
    DW_TAG_pointer_type = 0x0f,
    DW_TAG_compile_unit = 0x11,
    DW_TAG_subrange_type = 0x21,
    DW_TAG_base_type = 0x24,
    DW_TAG_subprogram = 0x2e,
    DW_TAG_variable = 0x34,
};

enum {
    DW_AT_sibling = 0x01,
    DW_AT_location = 0x02,
    DW_AT_name = 0x03,
    DW_AT_byte_size = 0x0b,
    DW_AT_stmt_list = 0x10,
    DW_AT_low_pc = 0x11,
    DW_AT_high_pc = 0x12,
    DW_AT_language = 0x13,
    DW_AT_comp_dir = 0x1b,
    DW_AT_producer = 0x25,
    DW_AT_prototyped = 0x27,
    DW_AT_upper_bound = 0x2f,
    DW_AT_decl_column = 0x39,
    DW_AT_decl_file = 0x3a,
    DW_AT_decl_line = 0x3b,
    DW_AT_declaration = 0x3c,
    DW_AT_encoding = 0x3e,
    DW_AT_external = 0x3f,
    DW_AT_frame_base = 0x40,
    DW_AT_type = 0x49,
};

enum {
    DW_FORM_addr = 0x01,
    DW_FORM_data2 = 0x05,
    DW_FORM_data4 = 0x06,
    DW_FORM_data8 = 0x07,
    DW_FORM_string = 0x08,
    DW_FORM_data1 = 0x0b,
    DW_FORM_strp = 0x0e,
    DW_FORM_udata = 0x0f,
    DW_FORM_ref4 = 0x13,
    DW_FORM_sec_offset = 0x17,
    DW_FORM_exprloc = 0x18,
    DW_FORM_flag_present = 0x19,
    DW_FORM_line_strp = 0x1f,
    DW_FORM_implicit_const = 0x21,
};

enum { DW_ATE_float = 4, DW_ATE_signed = 5, DW_ATE_signed_char = 6, DW_ATE_unsigned = 7 };
enum { DW_OP_addr = 0x03, DW_OP_fbreg = 0x91, DW_OP_call_frame_cfa = 0x9c };
enum { DW_LNS_advance_pc = 2, DW_LNS_advance_line = 3, DW_LNS_set_column = 5 };
enum { DW_LNE_end_sequence = 1, DW_LNE_set_address = 2 };
enum { DW_LNCT_path = 1, DW_LNCT_directory_index = 2 };
enum { DW_UT_compile = 1, DW_LANG_C11 = 0x1d };

#endif
