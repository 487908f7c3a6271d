/* SPDX-License-Identifier: MIT */
/* elf_bigexe.c - pynamic-bigexe's own code as an object, without the assembler */
#include "gen/elf_bigexe.h"

#include <stdio.h>
#include <string.h>

#include "gen/elf_file.h"
#include "gen/elf_shared.h"

enum { TEXT = 1, FRAMES, SYMTAB = 6, STRTAB };

struct big {
    const struct lc_machine *machine;
    struct lc_elf_file file;
    struct lc_buf frames, relocations, symtab, strtab;
};

static void describe(struct big *b, uint32_t number, uint64_t at, uint64_t size)
{
    Elf64_Sym symbol = {
        (uint32_t)b->strtab.len, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), STV_DEFAULT, TEXT, at, size};
    struct lc_frame frame = {0, (uint32_t)size, LC_FRAME_LEAF};
    size_t place = lc_frame_add(&b->frames, b->machine, &frame, 0, 0);
    Elf64_Rela code = {place, ELF64_R_INFO(1ull, b->machine->pc32), (int64_t)at};

    lc_buf_add(&b->symtab, &symbol, sizeof(symbol));
    lc_buf_printf(&b->strtab, "bigexe_%u", number);
    lc_buf_putc(&b->strtab, '\0');
    if (!b->frames.failed)
        memset(b->frames.data + place, 0, 4);
    lc_buf_add(&b->relocations, &code, sizeof(code));
}

static int write_text(struct big *b, uint32_t functions, uint32_t steps, struct lc_error *err)
{
    const struct lc_elf_section text = {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16, 0, 0,
                                        0,       NULL};
    struct lc_buf code = {0};
    int rc = lc_elf_file_section(&b->file, &text, err);
    uint64_t start = b->file.at;

    for (uint32_t i = 0; rc == 0 && i < functions; i++) {
        lc_buf_clear(&code);
        b->machine->big(&code, steps, i % 100 + 1);
        describe(b, i, b->file.at - start, code.len);
        rc = code.failed ? lc_error_errno(err, "cannot make pynamic-bigexe")
                         : lc_elf_file_add(&b->file, code.data, code.len, err);
        if (rc == 0)
            rc = lc_elf_file_align(&b->file, 16, err);
    }
    lc_elf_file_end_section(&b->file);
    lc_buf_free(&code);
    return rc;
}

static int write_rest(struct big *b, struct lc_error *err)
{
    const struct lc_elf_section all[] = {
        {".eh_frame", SHT_PROGBITS, SHF_ALLOC, 8, 0, 0, 0, &b->frames},
        {".rela.eh_frame", SHT_RELA, SHF_INFO_LINK, 8, 24, SYMTAB, FRAMES, &b->relocations},
        {".note.GNU-stack", SHT_PROGBITS, 0, 1, 0, 0, 0, &(struct lc_buf){0}},
        {".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 1, 0, 0, 0, &(struct lc_buf){0}},
        {".symtab", SHT_SYMTAB, 0, 8, 24, STRTAB, 2, &b->symtab},
        {".strtab", SHT_STRTAB, 0, 1, 0, 0, 0, &b->strtab},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (lc_elf_file_section(&b->file, &all[i], err) < 0)
            return -1;
    return lc_elf_file_finish(&b->file, ET_REL, b->machine->elf_machine, err);
}

int lc_elf_bigexe(const struct lc_machine *machine, uint32_t functions, uint32_t steps,
                  const char *path, struct lc_error *err)
{
    struct big b = {.machine = machine};
    Elf64_Sym first[2] = {{0},
                          {.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = TEXT}};
    int rc = lc_elf_file_create(&b.file, path, err);

    lc_buf_add(&b.symtab, first, sizeof(first));
    lc_buf_putc(&b.strtab, '\0');
    lc_frame_add_cie(&b.frames, machine);
    if (rc == 0)
        rc = write_text(&b, functions, steps, err);
    if (rc == 0)
        rc = write_rest(&b, err);
    rc = lc_elf_file_close(&b.file, rc, err);
    lc_buf_free(&b.frames);
    lc_buf_free(&b.relocations);
    lc_buf_free(&b.symtab);
    lc_buf_free(&b.strtab);
    return rc;
}
