/* SPDX-License-Identifier: MIT */
/* elf_bigexe.c - the code of pynamic-bigexe itself, written without an assembler
 *
 * The code has no relocations, so the linker does not need it: the object only reserves its size in
 * the executable, and the code is written there after linking. */
#include "gen/elf_bigexe.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "gen/elf_file.h"
#include "gen/elf_program.h"
#include "gen/elf_shared.h"

enum { TEXT = 1, FRAMES, SYMTAB = 6, STRTAB, ALIGN = 16, KINDS = 100 };

static uint32_t kind_of(uint32_t number)
{
    return number % KINDS + 1;
}

/* Functions of one kind have the same code; functions of all kinds have the same size. */
static size_t code_make(const struct lc_bigexe *big, uint32_t kind, struct lc_buf *code)
{
    lc_buf_clear(code);
    big->machine->big(code, big->steps, kind);
    size_t bytes = code->len;
    lc_buf_extend(code, (ALIGN - bytes % ALIGN) % ALIGN);
    return bytes;
}

/* ---- the object ---- */

struct object {
    const struct lc_bigexe *big;
    struct lc_elf_file file;
    struct lc_buf frames, relocations, symtab, strtab;
};

static void symbol_add(struct object *o, uint32_t number, uint64_t at, uint64_t size)
{
    const struct lc_machine *machine = o->big->machine;
    Elf64_Sym symbol = {
        (uint32_t)o->strtab.len, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), STV_DEFAULT, TEXT, at, size};
    struct lc_frame frame = {0, (uint32_t)size, LC_FRAME_LEAF};
    size_t place = lc_frame_add(&o->frames, machine, &frame, 0, 0);
    Elf64_Rela code = {place, ELF64_R_INFO(1ull, machine->pc32), (int64_t)at};

    lc_buf_add(&o->symtab, &symbol, sizeof(symbol));
    lc_buf_printf(&o->strtab, "bigexe_%u", number);
    lc_buf_putc(&o->strtab, '\0');
    if (!o->frames.failed)
        memset(o->frames.data + place, 0, 4);
    lc_buf_add(&o->relocations, &code, sizeof(code));
}

static int text_write(struct object *o, bool whole, struct lc_error *err)
{
    const struct lc_elf_section text = {
        ".text", whole ? SHT_PROGBITS : SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, ALIGN, 0, 0, 0,
        NULL};
    struct lc_buf code = {0};
    int rc = lc_elf_file_section(&o->file, &text, err);
    size_t bytes = code_make(o->big, kind_of(0), &code);
    uint64_t at = 0;

    for (uint32_t i = 0; rc == 0 && i < o->big->functions; i++, at += code.len) {
        if (whole)
            code_make(o->big, kind_of(i), &code);
        symbol_add(o, i, at, bytes);
        if (code.failed)
            rc = lc_error_errno(err, "cannot make pynamic-bigexe");
        else if (whole)
            rc = lc_elf_file_add(&o->file, code.data, code.len, err);
    }
    lc_elf_file_end_section(&o->file);
    o->file.section[TEXT].sh_size = at;
    lc_buf_free(&code);
    return rc;
}

static int write_rest(struct object *o, struct lc_error *err)
{
    const struct lc_elf_section all[] = {
        {".eh_frame", SHT_PROGBITS, SHF_ALLOC, 8, 0, 0, 0, &o->frames},
        {".rela.eh_frame", SHT_RELA, SHF_INFO_LINK, 8, 24, SYMTAB, FRAMES, &o->relocations},
        {".note.GNU-stack", SHT_PROGBITS, 0, 1, 0, 0, 0, &(struct lc_buf){0}},
        {".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 1, 0, 0, 0, &(struct lc_buf){0}},
        {".symtab", SHT_SYMTAB, 0, 8, 24, STRTAB, 2, &o->symtab},
        {".strtab", SHT_STRTAB, 0, 1, 0, 0, 0, &o->strtab},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (lc_elf_file_section(&o->file, &all[i], err) < 0)
            return -1;
    return lc_elf_file_finish(&o->file, ET_REL, o->big->machine->elf_machine, err);
}

int lc_bigexe_object(const struct lc_bigexe *big, bool whole, const char *path,
                     struct lc_error *err)
{
    struct object o = {.big = big};
    Elf64_Sym first[2] = {{0},
                          {.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = TEXT}};
    int rc = lc_elf_file_create(&o.file, path, err);

    lc_buf_add(&o.symtab, first, sizeof(first));
    lc_buf_putc(&o.strtab, '\0');
    lc_frame_add_cie(&o.frames, big->machine);
    if (rc == 0)
        rc = text_write(&o, whole, err);
    if (rc == 0)
        rc = write_rest(&o, err);
    rc = lc_elf_file_close(&o.file, rc, err);
    lc_buf_free(&o.frames);
    lc_buf_free(&o.relocations);
    lc_buf_free(&o.symtab);
    lc_buf_free(&o.strtab);
    return rc;
}

/* ---- the executable ---- */

/* Writes all functions of one kind to their places. */
static int kind_write(const struct lc_bigexe *big, const struct lc_elf_program *p, uint32_t first,
                      const struct lc_buf *code, uint64_t at, struct lc_error *err)
{
    for (uint32_t i = first; i < big->functions; i += KINDS)
        if (lc_elf_program_write(p, code->data, code->len, at + (uint64_t)i * code->len, err) < 0)
            return -1;
    return 0;
}

static int program_fill(const struct lc_bigexe *big, const struct lc_elf_program *p,
                        struct lc_elf_program_part *hole, struct lc_error *err)
{
    struct lc_buf code = {0};
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < KINDS && i < big->functions; i++) {
        code_make(big, kind_of(i), &code);
        rc = code.failed ? lc_error_errno(err, "cannot make pynamic-bigexe")
                         : kind_write(big, p, i, &code, hole->at, err);
        hole->digest = XXH3_64bits_withSeed(lc_buf_text(&code), code.len, hole->digest);
    }
    hole->bytes = (uint64_t)big->functions * code.len;
    lc_buf_free(&code);
    return rc;
}

int lc_bigexe_fill(const struct lc_bigexe *big, const char *program, struct lc_error *err)
{
    struct lc_elf_program_part hole = {.digest = big->functions};
    struct lc_elf_program p;
    int rc = lc_elf_program_open(&p, program, err);
    const Elf64_Sym *first = rc == 0 ? lc_elf_program_symbol(&p, "bigexe_0") : NULL;

    hole.at = first ? lc_elf_program_place(&p, first) : 0;
    if (rc == 0 && !hole.at)
        return lc_elf_program_close(&p, 1, err);
    if (rc == 0)
        rc = program_fill(big, &p, &hole, err);
    if (rc == 0)
        rc = lc_elf_program_stamp(&p, p.bytes, &hole, err);
    return lc_elf_program_close(&p, rc, err);
}
