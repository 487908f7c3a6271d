/* SPDX-License-Identifier: MIT */
/* elf_names.c - add the names of static functions to the linked executable
 *
 * GNU ld leaves .symtab, .strtab, .shstrtab and the section headers at the end of the file. They
 * are rewritten there, with our symbols after the others. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/elf_file.h"
#include "gen/elf_program.h"
#include "gen/elf_static.h"
#include "gen/name.h"

static bool is_table(const struct lc_elf_program *p, const Elf64_Shdr *s)
{
    return s == p->symbols || s == p->strings || s == p->section_names;
}

/* The offset of the three tables, if only they and the section headers follow it; else 0. */
static uint64_t tables_start(const struct lc_elf_program *p)
{
    const Elf64_Shdr *all = (const Elf64_Shdr *)p->sections.data;
    uint64_t start = p->head.e_shoff;

    if (!p->symbols)
        return 0;
    for (uint16_t i = 1; i < p->head.e_shnum; i++)
        if (is_table(p, &all[i]) && all[i].sh_offset < start)
            start = all[i].sh_offset;
    for (uint16_t i = 1; i < p->head.e_shnum; i++)
        if (!is_table(p, &all[i]) && all[i].sh_type != SHT_NOBITS &&
            all[i].sh_offset + all[i].sh_size > start)
            return 0;
    return start;
}

/* All symbols of a module except the last, PyInit_..., which the linker has written already. */
static uint32_t new_symbols(const struct lc_static *all, size_t unit)
{
    bool is_utility = unit >= all->model->modules && unit < lc_model_libs(all->model);

    return all->symbols[unit + 1] - all->symbols[unit] - (is_utility ? 0 : 1);
}

static size_t name_symbol(const struct lc_static *all, size_t unit, uint32_t number, char *out)
{
    struct lc_symbol_name name;

    if (unit >= lc_model_libs(all->model))
        return (size_t)(stpcpy(out, unit == lc_model_libs(all->model) ? "py_begin_break_here"
                                                                      : "py_break_here") -
                        out);
    struct lc_lib lib = lc_model_lib(all->model, unit);
    uint32_t functions = lc_model_functions(all->model, lib);
    if (number < functions)
        return lc_name_write(all->model, lib, number, out);
    bool is_extern = all->model->config.externs && number == functions;
    bool is_visit = number == functions + all->model->config.externs;
    if (is_extern || is_visit) {
        name = is_extern ? lc_name_extern(lib.index) : lc_name_visit(lib.index);
        return (size_t)(stpcpy(out, name.s) - out);
    }
    name = lc_name_lib(lib);
    return (size_t)(stpcpy(stpcpy(stpcpy(out, "py_"), name.s), "_entry") - out);
}

static int symbols_add(const struct lc_static *all, struct lc_elf_file *file,
                       const Elf64_Sym *known, uint64_t base, uint64_t strings,
                       struct lc_error *err)
{
    char name[LC_NAME_SIZE];

    for (size_t unit = 0; unit < all->units; unit++)
        for (uint32_t i = 0; i < new_symbols(all, unit); i++) {
            uint32_t number = all->symbols[unit] + i;
            Elf64_Sym s = {
                (uint32_t)strings, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),         STV_DEFAULT,
                known->st_shndx,   base + all->text[unit] + all->value[number], all->size[number]};
            strings += name_symbol(all, unit, i, name) + 1;
            if (lc_elf_file_add(file, &s, sizeof(s), err) < 0)
                return -1;
        }
    return 0;
}

static int strings_add(const struct lc_static *all, struct lc_elf_file *file, struct lc_error *err)
{
    char name[LC_NAME_SIZE];

    for (size_t unit = 0; unit < all->units; unit++)
        for (uint32_t i = 0; i < new_symbols(all, unit); i++)
            if (lc_elf_file_add(file, name, name_symbol(all, unit, i, name) + 1, err) < 0)
                return -1;
    return 0;
}

/* Symbols, strings, names of sections, section headers. */
static int tables_write(const struct lc_static *all, struct lc_elf_program *p,
                        struct lc_elf_file *file, const Elf64_Sym *known, struct lc_error *err)
{
    uint32_t last = all->symbols[all->units - 1] - 1; /* PyInit_libmodulebegin */
    uint64_t base = known->st_value - all->text[all->units - 2] - all->value[last];

    if (lc_elf_file_align(file, 8, err) < 0)
        return -1;
    p->symbols->sh_offset = file->at;
    if (lc_elf_file_add(file, p->symtab.data, p->symtab.len, err) < 0 ||
        symbols_add(all, file, known, base, p->strtab.len, err) < 0)
        return -1;
    p->symbols->sh_size = file->at - p->symbols->sh_offset;
    p->strings->sh_offset = file->at;
    if (lc_elf_file_add(file, p->strtab.data, p->strtab.len, err) < 0 ||
        strings_add(all, file, err) < 0)
        return -1;
    p->strings->sh_size = file->at - p->strings->sh_offset;
    p->section_names->sh_offset = file->at;
    if (lc_elf_file_add(file, p->names.data, p->names.len, err) < 0 ||
        lc_elf_file_align(file, 8, err) < 0)
        return -1;
    p->head.e_shoff = file->at;
    return lc_elf_file_add(file, p->sections.data, p->sections.len, err) < 0
               ? -1
               : lc_elf_file_flush(file, err);
}

static int tables_rewrite(const struct lc_static *all, struct lc_elf_program *p, uint64_t start,
                          const Elf64_Sym *known, struct lc_error *err)
{
    struct lc_elf_file file = {.fd = p->fd, .path = p->path, .at = start};

    if (lseek(p->fd, (off_t)file.at, SEEK_SET) < 0)
        return lc_error_errno(err, "cannot write '%s'", p->path);
    int rc = tables_write(all, p, &file, known, err);
    lc_buf_free(&file.pending);
    return rc < 0 ? -1 : lc_elf_program_write(p, &p->head, sizeof(p->head), 0, err);
}

int lc_static_name(const struct lc_static *all, const char *program, struct lc_error *err)
{
    const struct lc_elf_program_part none = {0};
    struct lc_elf_program p;
    int rc = lc_elf_program_open(&p, program, err);
    uint64_t start = rc == 0 ? tables_start(&p) : 0;
    const Elf64_Sym *known = start ? lc_elf_program_symbol(&p, "PyInit_libmodulebegin") : NULL;

    if (known)
        rc = tables_rewrite(all, &p, start, known, err);
    if (rc == 0)
        rc = lc_elf_program_stamp(&p, start ? start : p.bytes, &none, err);
    return lc_elf_program_close(&p, rc, err);
}
